internal import CallModel
internal import ControlProtocol

/// A probe, and what it must show to be well; what is nil does not matter.
struct ProbeOrder: Sendable, Hashable {
    var handle: String
    var account: String?
    var seconds = 5
    var frequency = 1_000
    var level = -20
    /// In ms.
    var mostDelay: Double?
    /// In ms, at once.
    var mostGap: Double?
    /// In percent, either way.
    var mostLoss: Double?
    /// In dB.
    var leastSNR: Double?

    init(_ words: inout Words) throws(Failure) {
        account = words.value(of: "--account")
        seconds = try Self.integer("--seconds", &words, ProbeWish.secondsRange) ?? seconds
        frequency = try Self.integer("--frequency", &words, ProbeWish.frequencyRange) ?? frequency
        level = try Self.integer("--level", &words, ProbeWish.levelRange) ?? level
        mostDelay = try Self.number("--max-delay", &words)
        mostGap = try Self.number("--max-gap", &words)
        mostLoss = try Self.number("--max-loss", &words)
        leastSNR = try Self.number("--min-snr", &words)
        handle = try words.required("HANDLE: whom to call", of: "probe")
    }

    func wish(_ handle: Handle, id: CallID? = nil) -> ProbeWish {
        ProbeWish(handle: handle, account: account, seconds: seconds, frequency: frequency, level: level, id: id)
    }

    /// What is not as it must be, each a phrase.
    func complaints(about report: ProbeReport) -> [String] {
        var complaints = report.isStopped ? ["its call was ended before its time was over"] : []
        guard let heard = report.heard else {
            return complaints.isEmpty ? ["nothing of what was sent came back within 900 ms"] : complaints
        }
        func check(_ what: String, _ value: Double, _ unit: String, atMost limit: Double?) {
            guard let limit, value > limit else { return }
            complaints.append("\(what) \(Reports.tenths(value)) \(unit), more than \(Reports.tenths(limit))")
        }
        check("delay", heard.mostDelayMs, "ms", atMost: mostDelay)
        check("longest gap", heard.longestGapMs, "ms", atMost: mostGap)
        check("loss", max(report.lostPercent, report.remoteLostPercent), "%", atMost: mostLoss)
        if let leastSNR, heard.snrDb < leastSNR {
            complaints.append("SNR \(Reports.tenths(heard.snrDb)) dB, less than \(Reports.tenths(leastSNR))")
        }
        return complaints
    }

    private static func integer(
        _ option: String, _ words: inout Words, _ range: ClosedRange<Int>
    ) throws(Failure) -> Int? {
        guard let text = words.value(of: option) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw .usage("\(option) \(text): say a whole number, \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private static func number(_ option: String, _ words: inout Words) throws(Failure) -> Double? {
        guard let text = words.value(of: option) else { return nil }
        guard let value = Double(text), 0...100_000 ~= value else {
            throw .usage("\(option) \(text): say a number, 0 or more")
        }
        return value
    }
}
