import Fleet
import Synchronization
import TLS

/// The server's certificate and private key, which may be replaced while it runs; may be used from any thread.
///
/// A new connection gets the newest; those that are open keep theirs.
final class ServerCertificate: Sendable {
    private static let bytesMax = 1 << 20

    private let settings: Configuration.ServerSettings
    private let context: Mutex<TLSServerContext>

    /// Reads the files; nil when none is named.
    ///
    /// Throws `ConfigurationError` when only one of the two is named, or they cannot be used.
    init?(_ settings: Configuration.ServerSettings) throws(ConfigurationError) {
        guard settings.certificateFile != nil || settings.privateKeyFile != nil else { return nil }
        self.settings = settings
        context = Mutex(try Self.read(settings))
    }

    /// What a new connection uses.
    var current: TLSServerContext { context.withLock { $0 } }

    /// Reads the files again; what cannot be used changes nothing and is thrown.
    func reload() throws(ConfigurationError) {
        let new = try Self.read(settings)
        context.withLock { $0 = new }
    }

    private static func read(_ settings: Configuration.ServerSettings) throws(ConfigurationError) -> TLSServerContext {
        let certificate = try bytes("server.certificate_file", settings.certificateFile)
        let key = try bytes("server.private_key_file", settings.privateKeyFile)
        do {
            return try TLSServerContext(certificatePEM: certificate, privateKeyPEM: key, protocols: [])
        } catch {
            throw problem("server.certificate_file", "invalid_value", "\(error)")
        }
    }

    private static func bytes(_ key: String, _ path: String?) throws(ConfigurationError) -> [UInt8] {
        guard let path else { throw problem(key, "missing", "certificate and private key go together") }
        do {
            return try InputFile(path: path).readAll(upTo: bytesMax)
        } catch {
            throw problem(key, "unreadable_file", error.description)
        }
    }

    private static func problem(_ key: String, _ code: String, _ detail: String) -> ConfigurationError {
        ConfigurationError([ConfigurationProblem(place: "", key: key, code: code, detail: detail)])
    }
}
