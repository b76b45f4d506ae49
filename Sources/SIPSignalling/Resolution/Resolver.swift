internal import EventLoop
internal import Threads

/// Looks names up on threads of its own and answers on the event loop. Bounded: threads, questions, cached answers.
@DaemonActor final class Resolver {
    typealias Answer = Result<LocatedServers, ResolutionError>

    private let names: any NameService
    private var cache: [ServerQuestion: (answer: LocatedServers, until: MonotonicInstant)] = [:]
    private var waiting: [ServerQuestion: [@DaemonActor (Answer) -> Void]] = [:]
    private var queue: [ServerQuestion] = []
    private var threads = 0

    private static let maximumThreads = 4
    private static let maximumQuestions = 64
    private static let maximumCached = 256

    init(names: any NameService = SystemNameService()) { self.names = names }

    /// `done` is called once, on the loop, never from within.
    func locate(_ question: ServerQuestion, _ done: @escaping @DaemonActor (Answer) -> Void) {
        if let hop = question.numeric {
            let server = LocatedServers.Server(
                record: SRVRecord(priority: 0, weight: 0, port: 0, target: ""), hops: [hop])
            return later(.success(LocatedServers(servers: [server], ttl: 3_600)), done)
        }
        if let cached = cache[question] {
            if MonotonicInstant.now < cached.until { return later(.success(cached.answer), done) }
            cache[question] = nil
        }
        if waiting[question] != nil {
            waiting[question]?.append(done)
            return
        }
        guard waiting.count < Self.maximumQuestions else {
            let message = "\(question.host) was not looked up: \(waiting.count) other names wait for an answer"
            return later(.failure(ResolutionError(message: message)), done)
        }
        waiting[question] = [done]
        queue.append(question)
        startNext()
    }

    private func later(_ answer: Answer, _ done: @escaping @DaemonActor (Answer) -> Void) {
        Task { @DaemonActor in done(answer) }
    }

    private func startNext() {
        while threads < Self.maximumThreads, !queue.isEmpty {
            let question = queue.removeFirst()
            threads += 1
            let names = self.names
            do throws(DetachedThread.Failure) {
                try DetachedThread.start {
                    let answer = Answer { () throws(ResolutionError) in
                        try ServerLocator.locate(question, using: names)
                    }
                    Task { @DaemonActor in self.finish(question, answer) }
                }
            } catch {
                finish(question, .failure(ResolutionError(message: "\(question.host) is not looked up: \(error)")))
            }
        }
    }

    private func finish(_ question: ServerQuestion, _ answer: Answer) {
        threads -= 1
        if case .success(let found) = answer {
            if cache.count >= Self.maximumCached { cache.removeAll() }
            cache[question] = (found, MonotonicInstant.now + .seconds(Int(found.ttl)))
        }
        let handlers = waiting.removeValue(forKey: question) ?? []
        for handler in handlers { later(answer, handler) }
        Task { @DaemonActor in self.startNext() }
    }
}
