/// One part of a tone that repeats: a sound, or a silence.
public struct ToneSegment: Sendable, Hashable {
    /// 0 for silence, else 20...3,400.
    public var hertz: Int
    /// A second frequency that sounds with the first; 0: none.
    public var addedHertz: Int
    /// How often the first swells and fades in a second; 0: not at all.
    public var modulationHertz: Int
    public var milliseconds: Int

    public init(hertz: Int, addedHertz: Int = 0, modulationHertz: Int = 0, milliseconds: Int) {
        self.hertz = hertz
        self.addedHertz = addedHertz
        self.modulationHertz = modulationHertz
        self.milliseconds = milliseconds
    }
}

/// What a telephone network says in tones, in one country: the tones that ITU-T E.180 describes, as they are heard there.
public struct CallProgressTones: Sendable, Hashable {
    /// Segments of one tone, at most. Then it begins again.
    public static let mostSegments = 8

    /// The remote party is being rung.
    public var ringBack: [ToneSegment]
    public var busy: [ToneSegment]
    /// There is no way to the remote party.
    public var congestion: [ToneSegment]
    /// Another call rings while one is up.
    public var callWaiting: [ToneSegment]

    /// What ITU-T E.180 recommends where no country is meant: 425 Hz.
    public static let recommended = CallProgressTones(
        425, [1_000, 4_000], [500, 500], [250, 250], [200, 400, 200, 3_200])

    /// The tones of a country, by its two letters in ISO 3166; nil where they are not known here.
    ///
    /// - Parameter country: in lower case; `itu` is `recommended`.
    public init?(country: String) {
        guard let tones = Self.table.first(where: { $0.country == country })?.tones() else { return nil }
        self = tones
    }

    /// The countries whose tones are known, and `itu`.
    public static let countries = table.map(\.country)

    /// Tones of one frequency, as lengths of sound and silence in turn, in milliseconds.
    private init(_ hertz: Int, _ ringBack: [Int], _ busy: [Int], _ congestion: [Int], _ callWaiting: [Int]) {
        self.ringBack = Self.cadence(ringBack, ToneSegment(hertz: hertz, milliseconds: 0))
        self.busy = Self.cadence(busy, ToneSegment(hertz: hertz, milliseconds: 0))
        self.congestion = Self.cadence(congestion, ToneSegment(hertz: hertz, milliseconds: 0))
        self.callWaiting = Self.cadence(callWaiting, ToneSegment(hertz: hertz, milliseconds: 0))
    }

    private static func cadence(_ lengths: [Int], _ sound: ToneSegment) -> [ToneSegment] {
        lengths.enumerated().map { index, milliseconds in
            var segment = index % 2 == 0 ? sound : ToneSegment(hertz: 0, milliseconds: 0)
            segment.milliseconds = milliseconds
            return segment
        }
    }

    /// The same with ring-back of other frequencies.
    private func ringing(_ hertz: Int, plus added: Int = 0, modulatedBy modulation: Int = 0) -> Self {
        var tones = self
        let sound = ToneSegment(hertz: hertz, addedHertz: added, modulationHertz: modulation, milliseconds: 0)
        tones.ringBack = Self.cadence(ringBack.map(\.milliseconds), sound)
        return tones
    }

    /// The same with a call waiting tone of another frequency.
    private func waiting(_ hertz: Int, modulatedBy modulation: Int = 0) -> Self {
        var tones = self
        let sound = ToneSegment(hertz: hertz, modulationHertz: modulation, milliseconds: 0)
        tones.callWaiting = Self.cadence(callWaiting.map(\.milliseconds), sound)
        return tones
    }

    /// North America: ring-back, busy and congestion are of two frequencies each.
    private static func northAmerica() -> Self {
        var tones = Self(440, [2_000, 4_000], [500, 500], [250, 250], [300, 10_000]).ringing(440, plus: 480)
        let sound = ToneSegment(hertz: 480, addedHertz: 620, milliseconds: 0)
        tones.busy = cadence([500, 500], sound)
        tones.congestion = cadence([250, 250], sound)
        return tones
    }

    /// Made when they are asked for: one country is used of them all. Ring-back, busy, congestion, call waiting.
    private static let table: [(country: String, tones: @Sendable () -> CallProgressTones)] = [
        ("itu", { recommended }),
        ("at", { Self(420, [1_000, 5_000], [400, 400], [200, 200], [40, 1_950]) }),
        (
            "au",
            {
                Self(425, [400, 200, 400, 2_000], [375, 375], [375, 375], [200, 200, 200, 4_400])
                    .ringing(413, plus: 438)
            }
        ),
        ("be", { Self(425, [1_000, 3_000], [500, 500], [167, 167], [175, 175, 175, 3_500]).waiting(1_400) }),
        ("ca", { northAmerica() }),
        ("ch", { Self(425, [1_000, 4_000], [500, 500], [200, 200], [200, 200, 200, 4_000]) }),
        ("cz", { Self(425, [1_000, 4_000], [330, 330], [165, 165], [330, 9_000]) }),
        ("de", { Self(425, [1_000, 4_000], [480, 480], [240, 240], [200, 200, 200, 5_000]) }),
        ("dk", { Self(425, [1_000, 4_000], [500, 500], [200, 200], [200, 600, 200, 3_000]) }),
        ("es", { Self(425, [1_500, 3_000], [200, 200], [200, 200, 200, 200, 200, 600], [175, 175, 175, 3_500]) }),
        ("fi", { Self(425, [1_000, 4_000], [300, 300], [200, 200], [150, 150, 150, 8_000]) }),
        ("fr", { Self(440, [1_500, 3_500], [500, 500], [250, 250], [300, 10_000]) }),
        (
            "gb",
            {
                Self(400, [400, 200, 400, 2_000], [375, 375], [400, 350, 225, 525], [100, 4_000])
                    .ringing(400, plus: 450)
            }
        ),
        ("gr", { Self(425, [1_000, 4_000], [300, 300], [200, 200], [150, 150, 150, 8_000]) }),
        ("it", { Self(425, [1_000, 4_000], [500, 500], [200, 200], [400, 100, 250, 100, 150, 14_000]) }),
        (
            "jp",
            {
                Self(400, [1_000, 2_000], [500, 500], [500, 500], [500, 8_000]).ringing(400, modulatedBy: 16)
                    .waiting(400, modulatedBy: 16)
            }
        ),
        ("nl", { Self(425, [1_000, 4_000], [500, 500], [250, 250], [500, 9_500]) }),
        ("no", { Self(425, [1_000, 4_000], [500, 500], [200, 200], [200, 600, 200, 10_000]) }),
        (
            "nz",
            {
                Self(400, [400, 200, 400, 2_000], [500, 500], [250, 250], [200, 3_000])
                    .ringing(400, plus: 450)
            }
        ),
        ("pl", { Self(425, [1_000, 4_000], [500, 500], [500, 500], [150, 150, 150, 4_000]) }),
        ("se", { Self(425, [1_000, 5_000], [250, 250], [250, 750], [200, 500, 200, 9_100]) }),
        ("us", { northAmerica() }),
    ]
}
