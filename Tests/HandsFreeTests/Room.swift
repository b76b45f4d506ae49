import Glibc

@testable import HandsFree

/// A room of plain walls: the way of sound from a loudspeaker to a microphone by mirror images (Allen and Berkley 1979).
struct Room {
    /// In metres.
    var size = (x: 4.1, y: 5.3, z: 2.6)
    var loudspeaker = (x: 1.9, y: 2.2, z: 0.9)
    var microphone = (x: 2.05, y: 2.35, z: 0.85)
    /// Seconds until sound has died away by 60 dB.
    var reverberation = 0.3

    /// The response at 48 kHz, `milliseconds` long, scaled so that white noise comes back at `gain` of its amplitude.
    func response(milliseconds: Double, gain: Double, delay: Int = 0) -> [Float] {
        let count = Int(milliseconds * 48)
        let speed = 343.0
        let volume = size.x * size.y * size.z
        let surface = 2 * (size.x * size.y + size.y * size.z + size.x * size.z)
        // Eyring: what the walls must send back for this reverberation.
        let reflection = exp(-0.161 * volume / (surface * reverberation) / 2)
        var taps = [Float](repeating: 0, count: count + delay)
        let reach = speed * Double(count) / 48_000
        let (nx, ny, nz) = (
            Int(reach / (2 * size.x)) + 1, Int(reach / (2 * size.y)) + 1, Int(reach / (2 * size.z)) + 1
        )
        for mx in -nx...nx {
            for my in -ny...ny {
                for mz in -nz...nz {
                    for mirror in 0..<8 {
                        let (px, py, pz) = (mirror & 1, mirror >> 1 & 1, mirror >> 2)
                        let dx = Double(1 - 2 * px) * loudspeaker.x + 2 * Double(mx) * size.x - microphone.x
                        let dy = Double(1 - 2 * py) * loudspeaker.y + 2 * Double(my) * size.y - microphone.y
                        let dz = Double(1 - 2 * pz) * loudspeaker.z + 2 * Double(mz) * size.z - microphone.z
                        let distance = (dx * dx + dy * dy + dz * dz).squareRoot()
                        let place = distance / speed * 48_000
                        let index = Int(place)
                        guard index + 1 < count else { continue }
                        let bounces =
                            abs(mx - px) + abs(mx) + abs(my - py) + abs(my) + abs(mz - pz) + abs(mz)
                        let strength = pow(reflection, Double(bounces)) / max(distance, 0.05)
                        let part = place - Double(index)
                        taps[delay + index] += Float(strength * (1 - part))
                        taps[delay + index + 1] += Float(strength * part)
                    }
                }
            }
        }
        let energy = taps.reduce(0.0) { $0 + Double($1) * Double($1) }
        let scale = Float(gain / energy.squareRoot())
        return taps.map { $0 * scale }
    }

    /// A response of noise that dies away, behind a direct sound as loud as all of it, as `response` scales it: as long as
    /// 50 dB take.
    static func tail(reverberation: Double, gain: Double, seed: UInt64) -> [Float] {
        var random = Noise(seed: seed)
        let count = Int(reverberation * 5 / 6 * 48_000)
        var taps = (0..<count).map { Float(random.gauss() * pow(10, -3 * Double($0) / 48_000 / reverberation)) }
        // Nothing is slower than 12 Hz there.
        var cut = LowCut()
        cut.process(&taps, count)
        var energy = taps.reduce(0.0) { $0 + Double($1) * Double($1) }
        taps = [Float](repeating: 0, count: 144) + taps
        taps[120] = Float(energy.squareRoot())
        energy *= 2
        let scale = Float(gain / energy.squareRoot())
        return taps.map { $0 * scale }
    }
}
