/// An answer that no provider would give and that a sender must survive.
public enum MalformedAnswer: String, Sendable, CaseIterable {
    /// 200 with bytes that are not JSON: accepted all the same.
    case garbageAccepted = "garbage-200"
    /// 400 without a body.
    case empty = "empty-400"
    /// 400 with a page of HTML, as from a proxy in between.
    case html = "html-400"
    /// 400 with JSON that ends in the middle.
    case cut = "cut-400"
    /// 400 with a reason of 1 MB.
    case huge = "huge-400"
    /// 400 with a reason that the provider does not document.
    case unknownReason = "unknown-400"
    /// 410 without reason and timestamp.
    case bareGone = "bare-410"
    /// A status that HTTP does not have.
    case strangeStatus = "status-799"
    /// 200 without an end: the stream is never closed.
    case endless = "endless-200"

    var status: Int {
        switch self {
        case .garbageAccepted, .endless: 200
        case .bareGone: 410
        case .strangeStatus: 799
        case .empty, .html, .cut, .huge, .unknownReason: 400
        }
    }

    /// Returns the answer; a cut, huge or unknown reason stands between the given texts of the provider.
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
