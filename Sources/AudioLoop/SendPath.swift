internal import Codecs
internal import Realtime
internal import SoundDevices
internal import Synchronization

/// From the microphone to packets.
struct SendPath: ~Copyable {
    private(set) var codec: UnsafeMutablePointer<SendCodec>
    private let memory: LockedBuffer
    /// The packet that is being filled.
    let samples: UnsafeMutablePointer<Int16>
    /// Samples in it, or of its time that have passed where nothing is sent.
    var filled = 0
    /// Samples at 48 kHz since the stream began.
    var clock = 0
    /// From our microphone.
    var gate = Ramp()
    /// From the others of its group.
    var link = Ramp()
    var headroom = Headroom()
    /// What the peer hears while it is held.
    var music = ClipPlayer()
    /// What sounds in the microphone's place.
    var player = FilePlayer()
    /// It does so now, and nothing of the microphone is on its way.
    var playsMusic = false
    var isSending = false
    /// The next packet is the first after a pause.
    var marks = true
    /// The packet that tells of the pause that has begun is on its way.
    var hasToldPause = false
    /// The packet that is being filled has sound of the microphone in it.
    var packetHasMicrophone = false
    /// The encoder remembers sound of the microphone.
    var encoderHasMicrophone = false
    /// A packet was encoded in this turn.
    var hasEncoded = false
    /// Packets' times that have passed without sending since the network thread was last told.
    var passed = 0

    /// While nothing is sent, the network thread is told of every so many packets' times: for its clock's sake, not to wake
    /// it for nothing.
    static var passedPerPause: Int {
        @_noLocks @_noAllocation get { 25 }
    }

    /// The longest packet: 60 ms.
    private static var capacity: Int {
        @_noLocks @_noAllocation get { 2_880 }
    }

    init(codec: UnsafeMutablePointer<SendCodec>) {
        self.codec = codec
        memory = LockedBuffer(byteCount: Self.capacity * MemoryLayout<Int16>.stride)
        samples = memory.base.bindMemory(to: Int16.self, capacity: Self.capacity)
    }

    deinit { SendCodec.free(codec) }

    /// Sound of the microphone is somewhere on its way.
    var holdsMicrophone: Bool {
        @_noLocks @_noAllocation get { packetHasMicrophone || encoderHasMicrophone || !gate.isClosed }
    }

    /// Throws away the part-filled packet and all that the encoder remembers.
    @_noLocks @_noAllocation
    mutating func discard() {
        filled = 0
        closeGates()
        music.suspend()
        playsMusic = false
        isSending = false
    }

    /// Lets nothing of what was said before out any more: of the part-filled packet only its time is left.
    @_noLocks @_noAllocation
    mutating func turnToMusic() {
        for index in 0..<filled { samples[index] = 0 }
        closeGates()
        playsMusic = true
    }

    @_noLocks @_noAllocation
    private mutating func closeGates() {
        gate.close()
        link.close()
        headroom = Headroom()
        packetHasMicrophone = false
        forget()
    }

    @_noLocks @_noAllocation
    mutating func forget() {
        codec.pointee.encoder.reset()
        hasToldPause = false
        // It is as its settings say; how it is steered is told it anew.
        codec.pointee.isSteered = false
        encoderHasMicrophone = false
    }

    /// Lets time go by in which nothing was captured. The part-filled packet, which would span it, is given up.
    @_noLocks @_noAllocation
    mutating func skip(samples: Int) {
        clock += samples
        filled = 0
        marks = true
    }

    /// Puts another codec in, and returns the memory of the old one. The part-filled packet is given up.
    @_noLocks @_noAllocation
    mutating func replace(codec new: UnsafeMutablePointer<SendCodec>) -> UnsafeMutableRawPointer {
        let old = codec
        codec = new
        filled = 0
        marks = true
        packetHasMicrophone = false
        encoderHasMicrophone = false
        return UnsafeMutableRawPointer(old)
    }

    /// The packet's first sample in units of the codec's RTP clock.
    var timestamp: UInt32 {
        @_noLocks @_noAllocation get {
            UInt32(truncatingIfNeeded: (clock - filled) / (48_000 / codec.pointee.clockRate))
        }
    }
}

extension CallSlot {
    /// Fills packets with a turn of the microphone, and of what the others of its group say where there are such, and
    /// hands those that are full to the network thread.
    @_noLocks @_noAllocation
    mutating func send(
        _ captured: UnsafePointer<Int16>, group sum: UnsafePointer<Int32>?, _ count: Int, scratch: TurnScratch
    ) {
        guard sends else { return sendMusic(count, scratch: scratch) }
        sending.playsMusic = false
        let isOpen = !word.isMuted
        let audible = sending.gate.audible(of: count, towardsOpen: isOpen)
        let (mix, outgoing) = (scratch.mix, scratch.outgoing)
        var source = captured
        if !sending.player.isIdle {
            sending.player.pass(captured, into: outgoing, count)
            source = UnsafePointer(outgoing)
        }
        if sum == nil && sending.headroom.isUnity && !sending.music.isSounding {
            sending.gate.pass(source, into: outgoing, count, towardsOpen: isOpen)
        } else {
            for index in 0..<count {
                mix[index] = Int32(sending.gate.pass(source[index], towardsOpen: isOpen))
            }
            if let sum { addOthers(of: sum, to: mix, count) }
            sending.music.add(nil, to: mix, count)
            sending.headroom.fit(mix, count)
            for index in 0..<count { outgoing[index] = Int16(clamping: mix[index]) }
        }
        tap?.pointee.addBeep(to: outgoing, count)
        fill(outgoing, count, audible: audible)
    }

    /// Sends the turn that has just been received. A service hears itself without the microphone.
    @_noLocks @_noAllocation
    mutating func sendEcho(_ count: Int, scratch: TurnScratch) {
        let hasVoice = receiving.hasVoice
        for index in 0..<count { scratch.outgoing[index] = hasVoice ? receiving.voice[index] : 0 }
        send(UnsafePointer(scratch.outgoing), group: nil, count, scratch: scratch)
    }

    /// The peer is held, or sends only: it hears music, or nothing is sent.
    @_noLocks @_noAllocation
    private mutating func sendMusic(_ count: Int, scratch: TurnScratch) {
        let address = word.isHeld && direction & 1 != 0 ? cells.pointee.holdMusic.load(ordering: .acquiring) : 0
        guard let clip = UnsafePointer<SoundClip.Samples>(bitPattern: address) else { return pause(count) }
        if !sending.playsMusic { sending.turnToMusic() }
        let (mix, outgoing) = (scratch.mix, scratch.outgoing)
        for index in 0..<count { mix[index] = 0 }
        sending.music.add(clip, to: mix, count)
        for index in 0..<count { outgoing[index] = Int16(clamping: mix[index]) }
        fill(outgoing, count, audible: 0)
    }

    /// Adds the group's sound but for the call's own.
    @_noLocks @_noAllocation
    private mutating func addOthers(of sum: UnsafePointer<Int32>, to mix: UnsafeMutablePointer<Int32>, _ count: Int) {
        for index in 0..<count {
            let own = receiving.hasVoice ? Int(receiving.voice[index]) : 0
            mix[index] &+= Int32(truncatingIfNeeded: sending.link.pass(Int(sum[index]) - own, towardsOpen: isLinked))
        }
    }

    /// - Parameter audible: of how many samples, the first ones, the microphone is a part.
    @_noLocks @_noAllocation
    private mutating func fill(_ outgoing: UnsafePointer<Int16>, _ count: Int, audible: Int) {
        if !sending.isSending {
            sending.isSending = true
            sending.filled = phase.start(turns: turnsOfPacket) * turnSamples
            for index in 0..<sending.filled { sending.samples[index] = 0 }
            sending.marks = true
        }
        if let tap {
            for index in 0..<count { tap.pointee.sent[index] = outgoing[index] }
        }
        let length = sending.codec.pointee.packetSamples
        var index = 0
        while index < count {
            let chunk = min(count - index, length - sending.filled)
            let place = sending.samples + sending.filled
            for offset in 0..<chunk { place[offset] = outgoing[index + offset] }
            if index < audible { sending.packetHasMicrophone = true }
            cells.pointee.sentLevel.add(UnsafeBufferPointer(start: place, count: chunk))
            sending.filled += chunk
            sending.clock += chunk
            index += chunk
            if sending.filled == length { encode() }
        }
    }

    /// Lets time pass without sending.
    @_noLocks @_noAllocation
    private mutating func pause(_ count: Int) {
        if sending.isSending { sending.discard() }
        let length = sending.codec.pointee.packetSamples
        sending.filled += count
        sending.clock += count
        while sending.filled >= length {
            sending.passed += 1
            if sending.passed >= SendPath.passedPerPause {
                _ = push(.pause, count: 0)
                sending.passed = 0
            }
            sending.filled -= length
        }
        sending.marks = true
        cells.pointee.sentLevel.addSilence(count)
    }

    @_noLocks @_noAllocation
    private mutating func encode() {
        sending.hasEncoded = true
        // What is silent starts from an encoder that remembers nothing, so that not a trace of the microphone is in it.
        // Where others are heard that would be a gap: what it remembers, less than a packet, leaves with the first packet
        // without the microphone, before that is acknowledged.
        if !sending.packetHasMicrophone && sending.encoderHasMicrophone && group == 0 { sending.forget() }
        let codec = sending.codec
        let loss = cells.pointee.expectedLoss.load(ordering: .relaxed)
        let bitRate = cells.pointee.bitRate.load(ordering: .relaxed)
        if !codec.pointee.isSteered || loss != codec.pointee.expectedLoss || bitRate != codec.pointee.bitRate {
            (codec.pointee.isSteered, codec.pointee.expectedLoss, codec.pointee.bitRate) = (true, loss, bitRate)
            codec.pointee.encoder.steer(expectedLoss: loss, bitRate: bitRate)
        }
        if let packet = outbound.nextSlot() {
            let payload = withUnsafeMutablePointer(to: &packet.pointee.payload) { UnsafeMutableRawPointer($0) }
            let bytes = codec.pointee.encoder.encode(
                sending.samples, codec.pointee.packetSamples, into: payload.assumingMemoryBound(to: UInt8.self),
                capacity: maximumPayload)
            sending.encoderHasMicrophone = sending.packetHasMicrophone
            if bytes <= 0 || codec.pointee.pauses && bytes <= 2 {
                // The first packet of a pause is sent: without it who hears us takes the pause for loss at first.
                let tells = bytes > 0 && !sending.hasToldPause
                sending.hasToldPause = true
                _ = tells ? push(.audio, count: bytes) : push(.pause, count: 0)
                sending.marks = true
            } else {
                sending.hasToldPause = false
                _ = push(.audio, count: bytes)
                sending.marks = false
                cells.pointee.encoded.add(1)
            }
        } else {
            cells.pointee.dropped.add(1)
            sending.marks = true
        }
        sending.packetHasMicrophone = false
        sending.filled = 0
    }

    /// Hands over the next packet, whose payload is in its place.
    @_noLocks @_noAllocation
    private mutating func push(_ kind: OutboundPacket.Kind, count: Int) -> Bool {
        guard let packet = outbound.nextSlot() else { return false }
        packet.pointee.kind = kind
        packet.pointee.marker = count > 0 && sending.marks
        packet.pointee.timestamp = sending.timestamp
        let codec = sending.codec
        packet.pointee.duration = UInt32(
            truncatingIfNeeded: codec.pointee.packetSamples / (48_000 / codec.pointee.clockRate))
        packet.pointee.gates = word.rawValue
        packet.pointee.processor = Processor.current()
        packet.pointee.count = count
        outbound.commit()
        owesSignal = true
        return true
    }
}
