internal import Realtime

/// A sound file as a microphone: converted to 48 kHz mono when opened, heard from its beginning to its end, and again.
///
/// `@unchecked`: made on one thread, then used by the one it is moved to.
struct LoopedSound: ~Copyable, @unchecked Sendable {
    /// It is held in memory: half an hour is 173 MB.
    static let mostSeconds = 1_800

    let path: String
    private let sound: DecodedSound
    private let memory: LockedBuffer
    private let position: UnsafeMutablePointer<Int>

    init(path: String) throws(SoundFileError) {
        sound = try DecodedSound(path: path, limit: Self.mostSeconds)
        memory = LockedBuffer(byteCount: MemoryLayout<Int>.stride)
        position = memory.base.bindMemory(to: Int.self, capacity: 1)
        position.initialize(to: 0)
        self.path = path
    }

    /// 0 where the file has no sound: then it is silence.
    var frameCount: Int {
        @_noLocks @_noAllocation get { sound.content.count }
    }

    func rewind() { position.pointee = 0 }

    @_noLocks @_noAllocation
    func read(into period: UnsafeMutableBufferPointer<Int16>) -> Int {
        let content = sound.content
        var place = position.pointee
        var index = 0
        while index < period.count {
            if place >= content.count { place = 0 }
            period[index] = content.count > 0 ? content[place] : 0
            place &+= 1
            index &+= 1
        }
        position.pointee = place
        return period.count
    }
}
