import Campaigns
import Delivery
import PushProviders

/// What the requests of a run share, prepared: by the run's slot, beside what `LoopRuns` knows of it.
///
/// Confined to its loop.
final class ActiveRun {
    let shard: Shard
    /// Whose credential its requests carry.
    private(set) var account: LoadedAccount
    private(set) var requests: PreparedRequests
    private(set) var template: RequestTemplate
    /// Whose connections carry its requests; nil when no requests can be made.
    ///
    /// Not weak: that would move the sender's reference count, which every request touches, into a side table. The
    /// sender holds no run.
    var sender: EndpointSender?

    init(shard: Shard, requests: PreparedRequests, account: LoadedAccount) {
        self.shard = shard
        self.requests = requests
        self.account = account
        template = RequestTemplate(requests, shard, account: account)
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
        requests = sender.requests(for: shard.facts)
        template = RequestTemplate(requests, shard, account: sender.account)
    }
}
