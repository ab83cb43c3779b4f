import Fleet
import Logging
import ServiceLifecycle

/// What a server takes of changed files while it runs.
extension APIServer {
    /// Reads tokens, apps and certificate again (HUP); what cannot be used changes nothing, and is logged.
    public func reload() async {
        guard let manager else { return readAgain() }
        await manager.reloading { readAgain() }
    }

    private func readAgain() {
        readTokens()
        again("certificate and private key") { () throws(ConfigurationError) in
            guard let certificate else { return nil }
            try certificate.reload()
            return 1
        }
        readApps()
    }

    private func readTokens() {
        again("the access tokens") { () throws(ConfigurationError) in
            guard let path = core.configuration.server.tokensFile, let book = core.gate.tokens else { return nil }
            let tokens = try TokensFile.read(path: path)
            book.replace(tokens)
            return tokens.count
        }
    }

    /// Takes the apps as their file has them now, with the keys of their edges.
    private func readApps() {
        do {
            let configuration = core.configuration
            let holdsKeys = configuration.server.roles.contains(.api)
            core.apps = try AppsFile.read(path: configuration.appsFile, holdsKeys: holdsKeys)
            logger.notice("the apps were read again", metadata: ["count": "\(core.apps.count)"])
        } catch {
            // A server needs no apps file, unless it had one.
            let level = core.apps.isEmpty ? Logger.Level.info : .error
            logger.log(level: level, "the apps stay as they were", metadata: ["reason": "\(error)"])
        }
    }

    /// A key that was revoked is not to be good until somebody thinks of a signal.
    var appsWatch: some Service {
        FilePoll { [core] in
            [core.configuration.appsFile] + core.apps.flatMap { $0.edge?.files ?? [] }
        } changed: {
            self.readApps()
        }
    }

    /// The same of an access token.
    var tokensWatch: some Service {
        FilePoll { [core] in
            [core.configuration.server.tokensFile].compactMap(\.self)
        } changed: {
            self.readTokens()
        }
    }

    /// The reading returns how many there are now; nil when the server has none of these.
    private func again(_ what: String, _ read: () throws(ConfigurationError) -> Int?) {
        do throws(ConfigurationError) {
            guard let count = try read() else { return }
            logger.notice("\(what) were read again", metadata: ["count": "\(count)"])
        } catch {
            let problem = error.problems.map(\.line).joined(separator: "; ")
            logger.error("\(what) stay as they were", metadata: ["problem": "\(problem)"])
        }
    }
}
