internal import AudioLoop
internal import EventLoop
internal import Realtime

/// Sends a sound after a second's rest, and collects what is sent and what is heard, a tenth of a second at a time.
@DaemonActor final class SoundExchange {
    let tap = SoundTap()
    private let reader: RingReader<TappedSound>?
    private let sound: PlayedSound
    private let count: Int
    private let done: @DaemonActor ([Int16], [Int16]) -> Void
    private var sent: [Int16] = []
    private var heard: [Int16] = []
    /// The sampling time of the first sample.
    private var origin: Int?
    private var play: ((PlayedSound) -> Void)?
    /// Where no loop runs the call, what there is by then has to do.
    private let deadline: MonotonicInstant
    private var timer: Timer?

    /// - Parameter count: samples to collect.
    init(_ sound: PlayedSound, count: Int, done: @escaping @DaemonActor ([Int16], [Int16]) -> Void) {
        self.sound = sound
        self.count = count
        self.done = done
        reader = tap.takeReader()
        deadline = .now + .milliseconds(Int64(count / 48) + 5_000)
        sent.reserveCapacity(count)
        heard.reserveCapacity(count)
    }

    /// - Parameter play: is given the sound when it is to begin.
    func begin(_ play: @escaping (PlayedSound) -> Void) {
        self.play = play
        wait()
    }

    /// Takes what there is by now as all of it. It is told of later.
    func end() {
        timer?.cancel()
        timer = nil
        take()
        Task { @DaemonActor in done(sent, heard) }
    }

    private func wait() {
        timer = Timer(after: .milliseconds(100)) { [weak self] in self?.collect() }
    }

    private func take() {
        while let part = reader?.pop() {
            let origin = origin ?? part.start
            self.origin = origin
            // What the loop did not run for, or we were too slow for, is silence.
            let missing = min(max(0, part.start - origin - sent.count), count)
            sent += repeatElement(0, count: missing)
            heard += repeatElement(0, count: missing)
            for frame in 0..<part.count {
                sent.append(part.frames[2 * frame])
                heard.append(part.frames[2 * frame + 1])
            }
        }
    }

    private func collect() {
        take()
        if sent.count >= 48_000, let play {
            self.play = nil
            play(sound)
        }
        guard sent.count >= count || MonotonicInstant.now.milliseconds(since: deadline) > 0 else { return wait() }
        done(sent, heard)
    }
}
