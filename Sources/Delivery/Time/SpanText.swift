/// Words for a span of time.
enum SpanText {
    /// Returns a span in its two largest units, such as `1 h 2 min`; the sign is left out.
    static func words(milliseconds: Int64) -> String {
        let seconds = Int64(clamping: milliseconds.magnitude) / 1000
        switch seconds {
        case ..<120: return "\(seconds) s"
        case ..<7200: return "\(seconds / 60) min \(seconds % 60) s"
        case ..<172_800: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
        default: return "\(seconds / 86_400) d \(seconds / 3600 % 24) h"
        }
    }
}
