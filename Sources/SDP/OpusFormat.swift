internal import MediaDescription

extension OpusParameters {
    /// Reads an Opus fmtp line (RFC 7587 §6.1). Unknown parameters and values that are no numbers are passed over, numbers
    /// out of range are brought into it.
    init(parsingFormat format: String) {
        self.init()
        for parameter in format.split(separator: ";", maxSplits: 32) {
            let sides = parameter.split(separator: "=", maxSplits: 1)
            guard sides.count == 2 else { continue }
            let name = sides[0].filter { $0 != " " && $0 != "\t" }.lowercased()
            guard let value = UInt32(sides[1].filter { $0 != " " && $0 != "\t" }) else { continue }
            switch name {
            case "maxplaybackrate": maxPlaybackRate = min(max(Int(value), 8_000), 48_000)
            case "maxaveragebitrate": maxAverageBitrate = min(max(Int(value), 6_000), 510_000)
            case "stereo": stereo = value == 1
            case "cbr": constantBitrate = value == 1
            case "useinbandfec": inBandFEC = value == 1
            case "usedtx": discontinuousTransmission = value == 1
            default: break
            }
        }
    }

    /// The fmtp value: what differs from the defaults; empty where nothing does.
    var format: String {
        var parameters: [String] = []
        if maxPlaybackRate != 48_000 { parameters.append("maxplaybackrate=\(maxPlaybackRate)") }
        if let maxAverageBitrate { parameters.append("maxaveragebitrate=\(maxAverageBitrate)") }
        if stereo { parameters.append("stereo=1") }
        if constantBitrate { parameters.append("cbr=1") }
        if inBandFEC { parameters.append("useinbandfec=1") }
        if discontinuousTransmission { parameters.append("usedtx=1") }
        return parameters.joined(separator: ";")
    }
}
