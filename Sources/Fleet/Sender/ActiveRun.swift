import Campaigns
import Operations
import PushProviders
import Settings

/// The prepared data that the requests of a run share, kept by the run's number; `LoopRuns` has the run itself.
///
/// Confined to its loop.
final class ActiveRun {
    let shard: Shard
    /// The account whose credential the requests carry.
    private(set) var account: LoadedAccount
    private(set) var requests: PreparedRequests
    private(set) var template: RequestTemplate
    /// The sender whose connections carry the requests; nil while no requests can be made.
    ///
    /// The reference is not weak: that would move the sender's reference count, which every request touches, into a
    /// side table. The sender holds no run.
    var sender: EndpointSender?

    init(shard: Shard, requests: PreparedRequests, account: LoadedAccount) {
        self.shard = shard
        self.requests = requests
        self.account = account
        template = RequestTemplate(requests, shard, account: account)
    }

    /// Leaves the run without connections until there is a token.
    func wait(with account: LoadedAccount) {
        self.account = account
        sender = nil
    }

    /// Continues with another credential, on the connections of its sender.
    func move(to sender: EndpointSender) {
        self.sender = sender
        account = sender.account
        requests = sender.requests(for: shard.facts)
        template = RequestTemplate(requests, shard, account: sender.account)
    }
}
