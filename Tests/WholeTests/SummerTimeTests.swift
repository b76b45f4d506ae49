import ControlProtocol
import Glibc
import Testing

extension Whole {
    @Suite("Hours of the clock on the wall", .serialized, .timeLimit(.minutes(1))) struct SummerTimeTests {
        private static let day = 1_440

        /// A daemon whose clock on the wall is put forward by an hour, or back, so many seconds from now.
        ///
        /// - Parameter hours: of do-not-disturb, in minutes from what the clock shows until then.
        private func endpoint(isSpring: Bool, in seconds: Int, hours: ClosedRange<Int>) throws -> Endpoint {
            var (now, utc) = (time(nil), tm())
            gmtime_r(&now, &utc)
            let today = Int(utc.tm_yday)
            let minute = Int(utc.tm_hour) * 60 + Int(utc.tm_min)
            let change = minute * 60 + Int(utc.tm_sec) + seconds
            // A zone of our own: UTC, and an hour more in summer. The other change is far from now.
            let zone =
                isSpring
                ? "AAA0BBB-1,\(rule(today, change)),\(rule((today + 150) % 365, 0))"
                : "AAA0BBB-1,\(rule((today + 200) % 365, 0)),\(rule(today, change + 3_600))"
            let shown = isSpring ? minute : minute + 60
            let schedule = [hours.lowerBound, hours.upperBound].map { clock(shown + $0) }.joined(separator: "-")
            let folder = try ScratchFolder()
            return try Endpoint(
                "alice", tone: nil, settings: "[dnd]\nschedule = [\"daily \(schedule)\"]",
                sound: Sound(
                    settings: "devices = [\"file:,\"]\nring = []", environment: ["TZ": zone],
                    loudspeaker: RecordedLoudspeaker(path: "\(folder.path)/none.wav")))
        }

        /// A change of the hour (POSIX, TZ): on the day of the year from 0, so many seconds after its midnight.
        private func rule(_ day: Int, _ seconds: Int) -> String {
            "\(day)/\(seconds / 3_600):\(seconds / 60 % 60):\(seconds % 60)"
        }

        private func clock(_ minutes: Int) -> String {
            let minute = (minutes + Self.day) % Self.day
            let digits = "\(minute % 60)"
            return "\(minute / 60):\(digits.count < 2 ? "0" : "")\(digits)"
        }

        private func isScheduled(_ endpoint: Endpoint) throws -> Bool {
            let state = try endpoint.control.request("daemon.status")["doNotDisturb"]
            return try #require(state?["scheduled"]?.bool as Bool?)
        }

        @Test("Summer time begins: hours that the clock jumps into are these at once")
        func spring() throws {
            let patience = Int(4 * testPatience)
            let endpoint = try endpoint(isSpring: true, in: patience, hours: 30...90)
            #expect(try !isScheduled(endpoint))
            _ = try eventually("the clock was put forward", within: Double(patience) + 2) {
                try isScheduled(endpoint) ? true : nil
            }
        }

        @Test("Summer time ends: hours that were switched off stay so, though the clock shows an earlier time")
        func autumn() throws {
            let patience = Int(4 * testPatience)
            // Over midnight at some times of the day; the second daemon shows when the clock is put back.
            let endpoint = try endpoint(isSpring: false, in: patience, hours: -90...120)
            let witness = try self.endpoint(isSpring: false, in: patience, hours: -90...(-30))
            #expect(try isScheduled(endpoint) && !isScheduled(witness))
            try endpoint.control.request("dnd.set", ["on": .bool(false)])
            #expect(try !isScheduled(endpoint))
            _ = try eventually("the clock was put back", within: Double(patience) + 4) {
                try isScheduled(witness) ? true : nil
            }
            #expect(try !isScheduled(endpoint))
        }
    }
}
