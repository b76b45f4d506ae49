// Runs the echo canceller over files, for comparisons: cancel NEAR FAR OUT [PROFILE [PERIOD]]
// NEAR, FAR and OUT are raw mono S16 at 48 kHz. Prints what it knows of the echo, and its cost.
import Glibc
import HandsFree

func fail(_ message: String, _ status: Int32) -> Never {
    let line = "cancel: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(status)
}

func samples(_ path: String) -> [Int16] {
    guard let file = fopen(path, "rb") else { fail("cannot open \(path)", 1) }
    defer { fclose(file) }
    var all: [Int16] = []
    var block = [Int16](repeating: 0, count: 4_096)
    while true {
        let count = fread(&block, 2, block.count, file)
        if count == 0 { return all }
        all += block.prefix(count)
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 3 else { fail("say NEAR FAR OUT [speakerphone|handset [PERIOD]]", 2) }
let (near, far) = (samples(arguments[0]), samples(arguments[1]))
let cancels = arguments.count < 4 || arguments[3] != "handset"
let period = arguments.count > 4 ? Int(arguments[4]) ?? 480 : 480
guard (1...4_096).contains(period) else { fail("a period is 1 to 4096 samples", 2) }
var processor = HandsFree(period: period)
var sent = [Int16](repeating: 0, count: near.count)
var block = [Int16](repeating: 0, count: period)
var place = 0
let begun = clock()
while place + period <= min(near.count, far.count) {
    let reference = Array(far[place..<place + period])
    processor.process(Array(near[place..<place + period]), reference: cancels ? reference : nil, period, into: &block)
    for index in 0..<period { sent[place + index] = block[index] }
    place += period
}
let cost = Double(clock() - begun) / Double(max(place, 1)) * 480
let figures = processor.figures
print("{\"latency\": \(processor.latency), \"microsPer10ms\": \(cost), \"converged\": \(figures.isConverged)}")
guard let file = fopen(arguments[2], "wb"), fwrite(sent, 2, sent.count, file) == sent.count, fclose(file) == 0 else {
    fail("cannot write \(arguments[2])", 1)
}
