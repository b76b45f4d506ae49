internal import CallModel

extension CallRequest {
    /// What is asked of the machine of the one call that the request names; nil for those that are about several, and for
    /// a start, whose call is not there yet.
    var action: (call: CallID, action: CallAction)? {
        switch self {
        case .start, .merge, .split: nil
        case .answer(let call), .endAndAnswer(let call): (call, .answer)
        case .reject(let call, let reason): (call, .reject(reason))
        case .end(let call): (call, .end)
        case .hold(let call): (call, .setHeld(true))
        case .resume(let call): (call, .setHeld(false))
        case .mute(let call): (call, .setMuted(true))
        case .unmute(let call): (call, .setMuted(false))
        case .earmuff(let call): (call, .setEarmuffed(true))
        case .unearmuff(let call): (call, .setEarmuffed(false))
        case .dtmf(let call, let digits): (call, .playDTMF(digits))
        case .transfer(let call, let target): (call, .transfer(target))
        }
    }
}
