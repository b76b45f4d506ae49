/// Whether sound is softer than -40 dBFS at its loudest: nobody hears its speed change a little.
@_noLocks @_noAllocation
func isQuiet(_ sound: UnsafePointer<Int16>, _ count: Int) -> Bool {
    var (highest, lowest) = (Int16(0), Int16(0))
    for index in 0..<count {
        highest = max(highest, sound[index])
        lowest = min(lowest, sound[index])
    }
    return highest < 328 && lowest > -328
}
