import Campaigns
import HTTP2
import Logging
import NIOCore
import NIOPosix
package import PushProviders
package import Settings
import Store
import Transport

/// The result of probing a provider's host: if workers can reach it, and how far its clock differs.
///
/// The probe is one request for `/` without a device and a provider token: nobody gets a push, and no token is made
/// that the provider would count.
package enum ProviderProbe: Sendable, Equatable {
    /// An answer; the skew is nil if it has no `date`.
    case answered(ClockSkew?)
    /// No answer; the text says why.
    case failed(String)

    /// The time after which the host counts as out of reach.
    private static let timeout = Duration.seconds(12)

    /// Probes the hosts of all accounts, each once and all at the same time; returns the results by endpoint URL.
    package static func probe(_ apps: [AppConfiguration]) async throws(ConfigurationError) -> [String: ProviderProbe] {
        let directory = try AppDirectory(apps)
        var accounts: [String: LoadedAccount] = [:]
        for app in apps {
            for settings in app.accounts {
                let account = directory.account(app: app.name, provider: settings.account.provider.name)
                accounts[settings.account.endpoint(nil).url] = account
            }
        }
        return await withTaskGroup(of: (String, ProviderProbe).self) { group in
            for (url, account) in accounts {
                group.addTask { (url, await probe(account)) }
            }
            var found: [String: ProviderProbe] = [:]
            for await (url, probe) in group { found[url] = probe }
            return found
        }
    }

    private static func probe(_ account: LoadedAccount) async -> ProviderProbe {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: ProviderProbe.self)
        let endpoint = account.account.endpoint(nil)
        loop.execute {
            let headers = PreparedHeaders(method: "GET", authority: endpoint.authority, fields: [], perRequestName: nil)
            SingleRequest.send(
                on: loop,
                within: timeout,
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
        // The promise is only ever succeeded, so this does not throw.
        return (try? await promise.futureResult.get()) ?? .failed("no answer")
    }

    private init(_ ending: SingleRequest.Ending) {
        self =
            switch ending {
            case .answered(let answer): .answered(ClockSkew(date: answer.date.span, now: WallClock.now().asRead))
            case .unwritten: .failed("no request")
            case .unanswered(let reason): .failed("it did not answer (\(reason))")
            case .unconnected(let failure): .failed(failure.description)
            case .overdue: .failed("no answer in 12 s")
            }
    }

    /// True if the machine's clock is so wrong that provider tokens are refused for it.
    package var isClockWrong: Bool {
        if case .answered(let skew?) = self { skew.isNoteworthy } else { false }
    }

    /// The result for people, in one line.
    package var text: String {
        switch self {
        case .answered(nil): "the answer has no date to compare this machine's clock with"
        case .answered(let skew?): skew.isNoteworthy ? "clock skew: \(skew.text); set it right" : "clock in step"
        case .failed(let reason): "not reached: \(reason)"
        }
    }
}
