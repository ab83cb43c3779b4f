import Campaigns
import Delivery
import PushProviders

/// A shard that an event loop sends, with everything prepared that its requests share.
///
/// Confined to its loop.
final class ActiveRun {
    var run: ShardRun
    /// Whose credential its requests carry.
    private(set) var account: LoadedAccount
    private(set) var requests: PreparedRequests
    private(set) var template: RequestTemplate
    /// Whose connections carry its requests; nil when no requests can be made.
    ///
    /// Not weak: that would move the sender's reference count, which every request touches, into a side table. The
    /// sender holds no run.
    var sender: EndpointSender?
    /// How many of the run's unsaved answers the loop has counted as unflushed.
    var counted = 0
    /// Whether another run of its shard has begun, so that only its open streams are waited for.
    var isForgotten = false
    /// Whether its end was reported to the desk.
    var isReported = false
    /// Whether a reason to pause its campaign was reported.
    var isRefusalReported = false

    init(run: ShardRun, requests: PreparedRequests, account: LoadedAccount) {
        self.run = run
        self.requests = requests
        self.account = account
        template = RequestTemplate(requests, run.shard, account: account)
    }

    /// Has no connections until there is a token.
    func wait(with account: LoadedAccount) {
        self.account = account
        sender = nil
    }

    /// Goes on with another credential, on the connections of its sender.
    func move(to sender: EndpointSender) {
        self.sender = sender
        account = sender.account
        requests = sender.requests(for: run.shard.facts)
        template = RequestTemplate(requests, run.shard, account: sender.account)
    }
}
