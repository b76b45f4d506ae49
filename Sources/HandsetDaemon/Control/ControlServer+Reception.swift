internal import CallModel
internal import ControlProtocol
internal import EventLoop

/// Requests about the history, contacts, and who may ring.
extension ControlServer {
    func performReception(_ request: ControlRequest, _ done: @escaping @DaemonActor (Answer) -> Void) {
        let reception = backend.reception
        let changed: @DaemonActor (Result<ListChange, CallError>) -> Void = { done(Answer($0, \.json)) }
        switch request {
        case .historyList(let query, let seen):
            reception.history(query, seen: seen) { entries in
                done(Answer(entries) { ["entries": .array($0.map(\.json))] })
            }
        case .historyClear: reception.clearHistory(changed)
        case .dndSet(let on): reception.setDoNotDisturb(on) { done(.result($0.json.bytes)) }
        case .ringerSet(let silent): reception.setSilent(silent) { done(.result($0.json.bytes)) }
        case .blockAdd(let entry): reception.block(entry, changed)
        case .blockRemove(let entry): reception.unblock(entry, changed)
        case .blockList: done(.result(reception.blockReport.json.bytes))
        case .contactsAdd(let contact): reception.add(contact) { done(Answer($0, \.json)) }
        case .contactsRemove(let name): reception.removeContact(name, changed)
        case .contactsList(let first): done(.result(reception.contacts(from: first).json.bytes))
        default: done(.failure(.invalidRequest("it is not about the history, contacts, or who may ring")))
        }
    }
}
