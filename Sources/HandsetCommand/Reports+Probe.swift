internal import CallModel
internal import ControlProtocol

extension Reports {
    static func probe(_ report: ProbeReport) -> String {
        var table = Table()
        table.add(["with", report.handle.value])
        table.add(["codec", "\(report.codec ?? "-"), security \(report.security ?? "-")"])
        table.add(["answered after", "\(milliseconds(report.connectMs)) ms"])
        table.add([
            "packets",
            "\(report.packetsSent) sent (\(tenths(report.remoteLostPercent)) % lost there), \(report.packetsReceived) received, "
                + "\(report.lost) lost, \(report.late) late, jitter \(milliseconds(report.jitterMs)) ms",
        ])
        if report.isStopped { table.add(["stopped", "before its time was over"]) }
        guard let heard = report.heard else {
            table.add(["heard", report.isStopped ? "nothing yet of what was sent" : "nothing of what was sent"])
            return table.text
        }
        table.add(["level", level(heard.levelDbfs)])
        table.add(["frequency", "\(tenths(heard.frequencyHz)) Hz"])
        table.add(["SNR", "\(tenths(heard.snrDb)) dB"])
        table.add(["noise before", level(heard.noiseDbfs)])
        table.add([
            "delay",
            "\(milliseconds(heard.delayMs)) ms there and back (\(milliseconds(heard.leastDelayMs)) to "
                + "\(milliseconds(heard.mostDelayMs)))",
        ])
        table.add([
            "gaps",
            heard.gaps == 0
                ? "none"
                : "\(heard.gaps), \(milliseconds(heard.gapMs)) ms in all, \(milliseconds(heard.longestGapMs)) at most",
        ])
        return table.text
    }
}
