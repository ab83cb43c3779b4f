package import Campaigns

extension JSONValue {
    /// Returns an order's document, marked if it is that of a dry run.
    package func marked(isDryRun: Bool) -> JSONValue {
        guard isDryRun, case .object(let members) = self else { return self }
        return .object(members + [JSONMember("dry_run", true)])
    }
}
