import Campaigns
import HTTP2
import Logging
import NIOCore
import NIOPosix
public import PushProviders
import Store
import Transport

/// What a look at a provider's host found: whether it can be reached as the workers reach it, and what its clock says.
///
/// One request for `/` without a device and without a provider token: nobody gets a push, and no token is made whose
/// number the provider counts.
public enum ProviderReach: Sendable, Equatable {
    /// It answered; the skew is nil when the answer has no `date`.
    case answered(ClockSkew?)
    /// It did not; the text says why.
    case failed(String)

    /// After this the host counts as out of reach.
    private static let patience = Duration.seconds(12)

    /// Looks at the hosts of all accounts, each once and all at the same time; by the name of the endpoint.
    public static func look(_ apps: [AppConfiguration]) async throws(ConfigurationError) -> [String: ProviderReach] {
        let directory = try AppDirectory(apps)
        var accounts: [String: LoadedAccount] = [:]
        for app in apps {
            for settings in app.accounts {
                let account = directory.account(app: app.name, provider: settings.account.provider.name)
                accounts[settings.account.endpoint(nil).url] = account
            }
        }
        return await withTaskGroup(of: (String, ProviderReach).self) { group in
            for (url, account) in accounts {
                group.addTask { (url, await look(account)) }
            }
            var found: [String: ProviderReach] = [:]
            for await (url, reach) in group { found[url] = reach }
            return found
        }
    }

    private static func look(_ account: LoadedAccount) async -> ProviderReach {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: ProviderReach.self)
        let endpoint = account.account.endpoint(nil)
        loop.execute {
            let headers = PreparedHeaders(method: "GET", authority: endpoint.authority, fields: [], perRequestName: nil)
            SingleRequest.send(
                on: loop,
                within: patience,
                pool: { account.pool(endpoint: endpoint, loop: loop, logger: Logger(label: "app check"), source: $0) },
                write: { request in
                    request.setHeaders(headers)
                    request.setPath(capacity: 1) { buffer in
                        buffer[0] = UInt8(ascii: "/")
                        return 1
                    }
                    request.setBody(capacity: 0) { _ in 0 }
                    return true
                },
                ended: { promise.succeed(Self($0)) }
            )
        }
        // A promise that is only ever succeeded does not throw.
        return (try? await promise.futureResult.get()) ?? .failed("no answer")
    }

    private init(_ ending: SingleRequest.Ending) {
        self =
            switch ending {
            case .answered(let answer): .answered(ClockSkew(date: answer.date.span, now: WallClock.now().asRead))
            case .unwritten: .failed("no request")
            case .unanswered(let reason): .failed("it did not answer (\(reason))")
            case .unconnected(let failure): .failed(failure.text)
            case .overdue: .failed("no answer in 12 s")
            }
    }

    /// Whether the machine's clock is so wrong that provider tokens are refused for it.
    public var isClockWrong: Bool {
        if case .answered(let skew?) = self { skew.isNoteworthy } else { false }
    }

    /// One line for people.
    public var text: String {
        switch self {
        case .answered(nil): "the answer has no date to hold this machine's clock against"
        case .answered(let skew?): skew.isNoteworthy ? "clock skew: \(skew.text); set it right" : "clock in step"
        case .failed(let reason): "not reached: \(reason)"
        }
    }
}
