import AllocationCounter
import Glibc
import Realtime
import TestFiles
import Testing

@testable import SoundDevices

@Suite("File devices", .timeLimit(.minutes(1))) struct FileDeviceTests {
    private let folder = TemporaryFolder()

    /// Turns a device, copying microphone to loudspeaker, and returns what was heard.
    @discardableResult
    private func copy(_ name: DeviceName, turns: Int) throws -> [Int16] {
        let device = try DuplexDevice(capture: name, playback: name, periodMilliseconds: 5)
        try device.start()
        var heard: [Int16] = []
        let period = UnsafeMutableBufferPointer<Int16>.allocate(capacity: device.periodFrames)
        defer { period.deallocate() }
        for _ in 0..<turns {
            guard case .ready = device.wait(timeoutMilliseconds: 1_000) else { break }
            let count = device.read(into: period)
            #expect(count == 240)
            heard += period
            let written = device.write(UnsafeBufferPointer(period))
            #expect(written == 240)
        }
        device.stop()
        return heard
    }

    @Test(
        "The microphone file is heard from its beginning, again and again; the loudspeaker file holds what was played")
    func loop() throws {
        let sound = (0..<300).map { Int16($0 * 100) }
        let input = folder.write("in.wav", WaveBytes(samples: sound).bytes)
        let output = "\(folder.path)/out.wav"
        let heard = try copy(.file(input: input, output: output), turns: 10)
        #expect(heard == (0..<2_400).map { sound[$0 % 300] })
        #expect(WaveBytes.samples(of: readBytes(output)) == heard)
    }

    @Test("The loudspeaker file is emptied at first, then grows session after session")
    func sessions() throws {
        let output = folder.write("out.wav", Array("something old".utf8))
        let input = folder.write("in.wav", WaveBytes(samples: [7]).bytes)
        let name = DeviceName.file(input: input, output: output)
        try name.emptyRecording()
        #expect(WaveBytes.samples(of: readBytes(output)) == [])
        try copy(name, turns: 2)
        try copy(name, turns: 3)
        #expect(WaveBytes.samples(of: readBytes(output)) == [Int16](repeating: 7, count: 5 * 240))
    }

    @Test("A loudspeaker file taken away between two sessions is begun anew")
    func removed() throws {
        let name = DeviceName.file(input: nil, output: "\(folder.path)/out.wav")
        try copy(name, turns: 2)
        unlink("\(folder.path)/out.wav")
        try copy(name, turns: 1)
        #expect(WaveBytes.samples(of: readBytes("\(folder.path)/out.wav"))?.count == 240)
    }

    @Test("The loudspeaker file is a valid WAV file while it is written")
    func validAtEveryMoment() throws {
        let output = "\(folder.path)/out.wav"
        let name = DeviceName.file(input: nil, output: output)
        let device = try DuplexDevice(capture: name, playback: name, periodMilliseconds: 5)
        try device.start()
        let period = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 240)
        defer { period.deallocate() }
        period.initialize(repeating: 1)
        var sizes: [Int] = []
        for _ in 0..<40 {
            guard case .ready = device.wait(timeoutMilliseconds: 1_000) else { break }
            _ = device.write(UnsafeBufferPointer(period))
            sizes.append(try #require(WaveBytes.samples(of: readBytes(output))).count)
        }
        #expect(sizes == sizes.sorted())
        #expect(try #require(sizes.last) > 0)
    }

    @Test("Time is true: two hundred periods of 5 ms take a second")
    func speed() throws {
        let start = ContinuousClock.now
        try copy(.file(input: nil, output: nil), turns: 201)
        let taken = ContinuousClock.now - start
        #expect(taken >= .milliseconds(999))
        #expect(taken < .milliseconds(1_200))
    }

    @Test("A turn that is taken late says by how much")
    func lateness() throws {
        let device = try DuplexDevice(capture: nil, playback: nil, periodMilliseconds: 5)
        try device.start()
        _ = device.wait(timeoutMilliseconds: 1_000)
        usleep(12_000)
        let next = device.wait(timeoutMilliseconds: 1_000)
        #expect(next == .ready)
        let late = device.lateness
        #expect(late >= 6_500_000 && late < 1_000_000_000)
    }

    @Test("The wait ends in time when the period is longer than it may take")
    func bound() throws {
        let device = try DuplexDevice(capture: nil, playback: nil, periodMilliseconds: 20)
        try device.start()
        _ = device.wait(timeoutMilliseconds: 1_000)
        let result = device.wait(timeoutMilliseconds: 2)
        #expect(result == .timedOut)
        let next = device.wait(timeoutMilliseconds: 1_000)
        #expect(next == .ready)
    }

    @Test("No file, no sound, or a file in use: the error says which side, which file and why")
    func errors() throws {
        let missing = #expect(throws: SoundDeviceError.self) {
            try copy(.file(input: "/nowhere/in.wav", output: nil), turns: 1)
        }
        #expect(missing?.description == "cannot open file:/nowhere/in.wav, for capture: No such file or directory")
        let text = folder.write("text.wav", Array("not sound at all".utf8))
        let wrong = #expect(throws: SoundDeviceError.self) { try copy(.file(input: text, output: nil), turns: 1) }
        #expect(wrong?.message == "neither a WAV file (no RIFF/WAVE header) nor an Ogg Opus one")
        let name = DeviceName.file(input: nil, output: "\(folder.path)/out.wav")
        let first = try DuplexDevice(capture: nil, playback: name)
        let second = #expect(throws: SoundDeviceError.self) { try copy(name, turns: 1) }
        #expect(second?.code == EBUSY)
        #expect(second?.direction == .playback)
        withExtendedLifetime(first.periodFrames) {}
        let folderName = DeviceName.file(input: nil, output: folder.path)
        #expect(throws: SoundDeviceError.self) { try copy(folderName, turns: 1) }
    }

    @Test("Four hundred turns neither allocate nor lock", .enabled(if: allocation_counter_available() == 1))
    func allocations() throws {
        let input = folder.write("in.wav", WaveBytes(samples: [Int16](repeating: 3, count: 4_800)).bytes)
        let name = DeviceName.file(input: input, output: "\(folder.path)/out.wav")
        let counts = LockedValue(StatisticCell())
        let turns = LockedValue(StatisticCell())
        let device = LockedValue(try DuplexDevice(capture: name, playback: name, periodMilliseconds: 5))
        let thread = try RealtimeThread(name: "loop") {
            try? device.pointer.pointee.start()
            let period = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 240)
            allocation_counter_reset_thread()
            for _ in 0..<400 where turn(device.pointer, period) { turns.pointer.pointee.add(1) }
            let total = allocation_counter_mallocs() + allocation_counter_frees() + allocation_counter_locks()
            counts.pointer.pointee.store(total)
            period.deallocate()
        }
        #expect(thread.join(timeoutMilliseconds: 20_000))
        #expect(turns.pointer.pointee.value == 400)
        #expect(counts.pointer.pointee.value == 0)
    }
}

/// A turn of the audio loop; that it compiles is part of the test.
@_noLocks @_noAllocation
func turn(_ device: UnsafePointer<DuplexDevice>, _ period: UnsafeMutableBufferPointer<Int16>) -> Bool {
    switch device.pointee.wait(timeoutMilliseconds: 1_000) {
    case .ready: break
    case .timedOut: return false
    case .failed(let code):
        switch device.pointee.recover(code) {
        case .again, .lost: return false
        }
    }
    let count = device.pointee.read(into: period)
    let fill = device.pointee.playbackFill()
    let written = device.pointee.write(UnsafeBufferPointer(period))
    return count == period.count && written == count && fill == device.pointee.nominalFill && device.pointee.xruns == 0
}
