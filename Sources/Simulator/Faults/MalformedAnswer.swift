/// Answers that no provider would ever give and that a sender must survive.
public enum MalformedAnswer: String, Sendable, CaseIterable {
    /// 200 with bytes that are no JSON: accepted all the same.
    case garbageAccepted = "garbage-200"
    /// 400 without a body.
    case empty = "empty-400"
    /// 400 with a page of HTML, as a proxy in between would send it.
    case html = "html-400"
    /// 400 with JSON that stops in the middle.
    case cut = "cut-400"
    /// 400 with a reason of 1 MB.
    case huge = "huge-400"
    /// 400 with a reason that no page of the provider names.
    case unknownReason = "unknown-400"
    /// 410 without reason and timestamp.
    case bareGone = "bare-410"
    /// A status that HTTP does not have.
    case strangeStatus = "status-799"
    /// 200 and then nothing: the stream is never ended.
    case endless = "endless-200"

    var status: Int {
        switch self {
        case .garbageAccepted, .endless: 200
        case .bareGone: 410
        case .strangeStatus: 799
        case .empty, .html, .cut, .huge, .unknownReason: 400
        }
    }

    /// The answer; what is cut, huge or unknown stands between the provider's own words before and after a reason.
    func answer(reasonBefore: String, reasonAfter: String) -> Answer {
        var answer = Answer(status: status)
        answer.isEndless = self == .endless
        let text: String
        switch self {
        case .garbageAccepted: text = "\u{1}\u{2}}{"
        case .empty, .bareGone, .strangeStatus, .endless: text = ""
        case .html: text = "<html><body><h1>400 Bad Request</h1></body></html>"
        case .cut: text = reasonBefore + "BadDev"
        case .huge: text = reasonBefore + String(repeating: "x", count: 1_000_000) + reasonAfter
        case .unknownReason: text = reasonBefore + "BadWeather" + reasonAfter
        }
        answer.body = Array(text.utf8)
        return answer
    }
}
