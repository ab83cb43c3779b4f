import Logging
import Operations
import ServiceLifecycle
import Settings

/// Rereading changed files while the server runs.
extension WebServer {
    /// Reads tokens, apps and certificate again (SIGHUP); a file that cannot be used is logged and changes nothing.
    package func reload() async {
        guard let manager else { return readAgain() }
        await manager.reloading { readAgain() }
    }

    private func readAgain() {
        for role in roles { role.reload() }
        readCertificate()
        readApps()
    }

    private func readCertificate() {
        core.reread("certificate and private key") { () throws(ConfigurationError) in
            guard let certificate = core.certificate else { return nil }
            try certificate.reload()
            return 1
        }
    }

    /// Replaces the apps, and the keys of their edges, with the current contents of the apps file.
    private func readApps() {
        do {
            let configuration = core.configuration
            let holdsKeys = configuration.server.roles.contains(.api)
            let apps = try AppsFile.read(path: configuration.appsFile, holdsKeys: holdsKeys)
            core.apps.replace(apps)
            logger.notice("the apps were read again", metadata: ["count": "\(apps.count)"])
        } catch {
            // A missing apps file is an error only if there was one.
            let level = core.apps.all.isEmpty ? Logger.Level.info : .error
            logger.log(level: level, "the apps stay as they were", metadata: ["reason": "\(error)"])
        }
    }

    /// Rereads the certificate when its files change, so that a renewed one needs no signal.
    var certificatePoll: some Service {
        FilePoll { [settings = core.configuration.server] in
            [settings.certificateFile, settings.privateKeyFile].compactMap(\.self)
        } changed: {
            self.readCertificate()
        }
    }

    /// Rereads the apps when a file changes, so that a revoked key ends without a signal.
    var appsPoll: some Service {
        FilePoll { [core] in
            [core.configuration.appsFile] + core.apps.all.flatMap { $0.edge?.files ?? [] }
        } changed: {
            self.readApps()
        }
    }
}
