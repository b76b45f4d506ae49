public import CallModel

/// What a light can show of the calls, the most urgent first.
public enum PanelCondition: String, Sendable, Hashable, CaseIterable {
    /// A call is offered and waits to be answered.
    case ringing
    /// The active call is muted.
    case muted
    /// A call is active, or is being dialled.
    case inCall = "in_call"
    /// A call is held by us.
    case held
    /// Somebody called in vain.
    case missed

    /// What is true of these calls.
    public static func all(calls: [CallSnapshot], missedCalls: Int) -> Set<PanelCondition> {
        var conditions: Set<PanelCondition> = []
        for call in calls {
            switch call.state {
            case .incoming: conditions.insert(.ringing)
            case .connecting, .ringing: conditions.insert(.inCall)
            case .connected where call.held: conditions.insert(.held)
            case .connected:
                conditions.insert(.inCall)
                if call.muted { conditions.insert(.muted) }
            case .ended: break
            }
        }
        if missedCalls > 0 { conditions.insert(.missed) }
        return conditions
    }
}

/// How a light shows a condition.
public enum LEDPattern: String, Sendable, Hashable, CaseIterable {
    case off, on
    /// Once a second.
    case blink
    /// Four times a second.
    case blinkFast = "blink-fast"
    /// Shortly, every two seconds.
    case flash

    /// How long the light is on and then off, over and over; nil where it stays as it is.
    public var cycle: (on: Duration, off: Duration)? {
        switch self {
        case .off, .on: nil
        case .blink: (.milliseconds(500), .milliseconds(500))
        case .blinkFast: (.milliseconds(125), .milliseconds(125))
        case .flash: (.milliseconds(80), .milliseconds(1_920))
        }
    }
}

extension PanelLED {
    /// What it shows while `conditions` are true: the most urgent one that it has a pattern for.
    public func pattern(for conditions: Set<PanelCondition>) -> LEDPattern {
        for condition in PanelCondition.allCases where conditions.contains(condition) {
            if let pattern = patterns[condition] { return pattern }
        }
        return .off
    }
}
