public import Codecs
internal import MediaDescription
internal import Playout
public import Realtime
public import SoundDevices
internal import Synchronization

/// The control side's handle of one call's sound. It outlives audio sessions: attach it to one after the other, to one at
/// a time. Its memory is freed when nobody holds it, which a session that has it attached does.
///
/// Safe from any thread; requests of one call are expected from one thread at a time.
public final class CallAudio: Sendable {
    private let gateCell = GateCell()
    let cells: LockedValue<CallCells>
    /// For the loop while `isInLoop`.
    let slot: SlotMemory
    private let networkEnds: Mutex<NetworkEnds?>
    private let current: Mutex<CallAudioConfiguration>
    /// All that the loop may have come to play, one of which it plays.
    private let music = Mutex<[SoundClip]>([])
    /// What the loop may use of these, with what it is to use.
    private let taps = Mutex<[SoundTap]>([])
    private let sounds = Mutex<[PlayedSound]>([])

    /// - Parameters:
    ///   - held, muted, earmuffed: the gates at the beginning.
    ///   - descriptor: an eventfd that the loop signals when something is in the outbound ring. It must stay open as long
    ///     as a session has the call.
    public init(
        _ configuration: CallAudioConfiguration, held: Bool = false, muted: Bool = false, earmuffed: Bool = false,
        signalling descriptor: Int32
    ) throws(CodecError) {
        let sender = try SendCodec.make(configuration)
        let receiver: UnsafeMutablePointer<ReceiveCodec>
        do throws(CodecError) {
            receiver = try ReceiveCodec.make(configuration)
        } catch {
            SendCodec.free(sender)
            throw error
        }
        cells = LockedValue(
            CallCells(
                direction: CallSlot.bits(configuration.direction), expectedLoss: configuration.opus.expectedLossPercent,
                bitRate: configuration.opus.bitRate)
        )
        cells.pointer.pointee.encoderDelay.store(sender.pointee.encoder.lookahead)
        cells.pointer.pointee.decoderDelay.store(receiver.pointee.decoder.latency)
        gateCell.settle(gateCell.request(held: held, muted: muted, earmuffed: earmuffed))
        var inbound = Ring<InboundPacket>(capacity: 128)
        var outbound = Ring<OutboundPacket>(capacity: 64)
        slot = SlotMemory(
            CallSlot(
                cells: cells.pointer, gates: gateCell.loopEnd, inbound: inbound.takeReader(),
                outbound: outbound.takeWriter(), sender: sender, receiver: receiver, descriptor: descriptor))
        networkEnds = Mutex(NetworkEnds(inbound: inbound.takeWriter(), outbound: outbound.takeReader()))
        current = Mutex(configuration)
    }

    deinit {
        // No loop has the call: a session that does holds a reference.
        collect()
        if let codec = cells.pointer.pointee.sender.post(nil) { SendCodec.free(codec) }
        if let codec = cells.pointer.pointee.receiver.post(nil) { ReceiveCodec.free(codec) }
    }

    /// The ends for the network thread; nil the second time.
    public func takeNetworkEnds() -> NetworkEnds? {
        networkEnds.withLock { $0.take() }
    }

    /// Asks for these gates. Where a loop runs the call, it acknowledges them by a `settled` packet in the outbound ring
    /// that carries the word; where none does, they are settled at once. A later request supersedes an earlier one, which
    /// then may never be acknowledged.
    public func requestGates(held: Bool, muted: Bool, earmuffed: Bool) -> GateRequest {
        let word = gateCell.request(held: held, muted: muted, earmuffed: earmuffed)
        // Pairs with the loop's fence in `CallSlot.letGo`: either it sees the word, or we see that it is gone.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        guard !cells.pointer.pointee.isInLoop.load(ordering: .sequentiallyConsistent) else {
            return GateRequest(word: word.rawValue, isSettled: false)
        }
        gateCell.settle(word)
        return GateRequest(word: word.rawValue, isSettled: true)
    }

    /// Mixes the call with all others of that number in the same session, from the loop's next turn on: each hears the
    /// others and us, not itself. 0: with none.
    public func setGroup(_ number: UInt32) { cells.pointer.pointee.group.store(number, ordering: .relaxed) }

    /// What the peer hears while it is held, from the beginning at each hold, over and over; nil: nothing is sent. It is kept
    /// as long as the call.
    public func setHoldMusic(_ clip: SoundClip?) {
        music.withLock { music in
            if let clip, !music.contains(where: { $0 === clip }) { music.append(clip) }
            let address = clip.map { UInt(bitPattern: $0.samples) } ?? 0
            cells.pointer.pointee.holdMusic.store(address, ordering: .releasing)
        }
    }

    /// What the peer hears in place of the microphone, from its beginning; nil: the microphone. It obeys the gates: while the
    /// call is held it stands still, while it is muted it goes on unheard. Its end is told by an `ended` packet in the outbound
    /// ring, but not where something else took its place.
    public func play(_ sound: PlayedSound?) {
        sounds.withLock { sounds in
            let cells = cells.pointer
            if let sound { sounds.append(sound) }
            cells.pointee.played.offer(sound.map { UInt(bitPattern: $0.memory) } ?? 0)
            sounds.removeAll { cells.pointee.played.isFree(UInt(bitPattern: $0.memory)) }
        }
    }

    /// Gives the call's sound to `tap` from the next turn on, in place of another one; nil: to nobody.
    public func setTap(_ tap: SoundTap?) {
        taps.withLock { taps in
            let cells = cells.pointer
            if let tap { taps.append(tap) }
            cells.pointee.tap.offer(tap.map { UInt(bitPattern: $0.memory) } ?? 0)
            taps.removeAll { cells.pointee.tap.isFree(UInt(bitPattern: $0.memory)) }
        }
    }

    /// Whether the peer is sent what it says, after our decoder, in place of the microphone.
    public func setEchoes(_ echoes: Bool) { cells.pointer.pointee.echoes.store(echoes, ordering: .relaxed) }

    /// What was asked for last.
    public var gates: GateWord { gateCell.requested }

    /// Whether that has been acknowledged.
    public var gatesAreSettled: Bool { gateCell.requested == gateCell.settled }

    /// What its jitter buffer lets wait at most.
    public var longestBufferMilliseconds: Int { configuration.jitter.maximumMilliseconds }

    public var configuration: CallAudioConfiguration { current.withLock { $0 } }

    /// Changes the stream, mid-call or before it. What has not changed goes on undisturbed: a change of direction alone
    /// touches no codec, and one of the sending half not the receiving one.
    public func update(_ configuration: CallAudioConfiguration) throws(CodecError) {
        let cells = cells.pointer
        collect()
        try current.withLock { current throws(CodecError) in
            let sends =
                (current.codec, current.packetMilliseconds) != (configuration.codec, configuration.packetMilliseconds)
                || (configuration.codec == .opus && current.opus != configuration.opus)
            let receives =
                (current.codec, current.receivePayloadType, current.jitter)
                != (configuration.codec, configuration.receivePayloadType, configuration.jitter)
            if sends {
                let codec = try SendCodec.make(configuration)
                cells.pointee.encoderDelay.store(codec.pointee.encoder.lookahead)
                cells.pointee.expectedLoss.store(configuration.opus.expectedLossPercent, ordering: .relaxed)
                cells.pointee.bitRate.store(configuration.opus.bitRate, ordering: .relaxed)
                if let unused = cells.pointee.sender.post(codec) { SendCodec.free(unused) }
            }
            if receives {
                let codec = try ReceiveCodec.make(configuration)
                cells.pointee.decoderDelay.store(codec.pointee.decoder.latency)
                if let unused = cells.pointee.receiver.post(codec) { ReceiveCodec.free(unused) }
            }
            cells.pointee.direction.store(CallSlot.bits(configuration.direction), ordering: .releasing)
            current = configuration
        }
    }

    /// Tells an Opus encoder how much loss to protect against, 0...100 percent, and its bit rate, 6000...510000 bit/s,
    /// which is never more than its settings say. From its next packet on.
    public func steer(expectedLossPercent: Int, bitRate: Int) {
        let limit = configuration.opus.bitRate
        cells.pointer.pointee.expectedLoss.store(min(max(expectedLossPercent, 0), 100), ordering: .relaxed)
        cells.pointer.pointee.bitRate.store(min(max(bitRate, 6_000), limit), ordering: .relaxed)
    }

    public var statistics: CallAudioStatistics {
        let cells = cells.pointer
        var statistics = CallAudioStatistics()
        statistics.sentLevelDbfs = cells.pointee.sentLevel.dbfs
        statistics.receivedLevelDbfs = cells.pointee.receivedLevel.dbfs
        statistics.encodedPackets = cells.pointee.encoded.value
        statistics.droppedPackets = cells.pointee.dropped.value
        statistics.decodedPackets = cells.pointee.decoded.value
        statistics.discardedPackets = cells.pointee.discarded.value
        statistics.malformedPackets = cells.pointee.malformed.value
        statistics.codecMilliseconds = Double(cells.pointee.encoderDelay.value + cells.pointee.decoderDelay.value) / 48
        statistics.playout = cells.pointee.playout.counters
        return statistics
    }

    /// Frees what the loop has done with.
    private func collect() {
        cells.pointer.pointee.sender.collect(SendCodec.free)
        cells.pointer.pointee.receiver.collect(ReceiveCodec.free)
    }
}
