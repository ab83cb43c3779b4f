import Logging
import Operations
import ServiceLifecycle
import Settings

/// Rereading changed files while the server runs.
extension APIServer {
    /// Reads tokens, apps and certificate again (SIGHUP); a file that cannot be used is logged and changes nothing.
    package func reload() async {
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

    /// Replaces the apps, and the keys of their edges, with the current contents of the apps file.
    private func readApps() {
        do {
            let configuration = core.configuration
            let holdsKeys = configuration.server.roles.contains(.api)
            core.apps = try AppsFile.read(path: configuration.appsFile, holdsKeys: holdsKeys)
            logger.notice("the apps were read again", metadata: ["count": "\(core.apps.count)"])
        } catch {
            // A missing apps file is an error only if there was one.
            let level = core.apps.isEmpty ? Logger.Level.info : .error
            logger.log(level: level, "the apps stay as they were", metadata: ["reason": "\(error)"])
        }
    }

    /// Rereads the apps when a file changes, so that a revoked key ends without a signal.
    var appsWatch: some Service {
        FilePoll { [core] in
            [core.configuration.appsFile] + core.apps.flatMap { $0.edge?.files ?? [] }
        } changed: {
            self.readApps()
        }
    }

    /// Rereads the access tokens when their file changes.
    var tokensWatch: some Service {
        FilePoll { [core] in
            [core.configuration.server.tokensFile].compactMap(\.self)
        } changed: {
            self.readTokens()
        }
    }

    /// Runs `read` and logs the result; `read` returns the current count, nil when the server has none of these.
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
