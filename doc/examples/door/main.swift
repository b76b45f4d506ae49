import HandsetKit

let handset = try await Handset.connect(to: CommandLine.arguments.dropFirst().first)
for await case .event(let event) in try await handset.events() {
    switch event.content {
    case .callIncoming(let call): _ = try? await handset.answer(call.id)
    case .callDTMF(let call, digit: "5", _):
        print("open the door for \(call.handle.value)")
        _ = try? await handset.end(call.id)
    default: break
    }
}
