import Campaigns
import Settings

extension AccountKey {
    /// The labels of a series.
    var labels: [(String, String)] { [("app", app), ("provider", provider.rawValue)] }
}
