import Operations
import Settings
import Synchronization
import TLS

/// The server's certificate and private key, replaceable at run time; may be used from any thread.
///
/// New connections use the latest; open ones keep theirs.
final class ServerCertificate: Sendable {
    private static let bytesMax = 1 << 20

    /// The contexts of addresses that speak HTTP/1.1 only, and of those that speak HTTP/2 too.
    private struct Contexts {
        let http1: TLSServerContext
        let both: TLSServerContext
    }

    private let settings: Configuration.ServerSettings
    private let contexts: Mutex<Contexts>

    /// Reads the files; nil when none is named.
    ///
    /// Throws `ConfigurationError` when only one of the two is named, or they cannot be used.
    init?(_ settings: Configuration.ServerSettings) throws(ConfigurationError) {
        guard settings.certificateFile != nil || settings.privateKeyFile != nil else { return nil }
        self.settings = settings
        contexts = Mutex(try Self.read(settings))
    }

    /// Returns the context for a new connection.
    func current(speaksHTTP2: Bool) -> TLSServerContext {
        contexts.withLock { speaksHTTP2 ? $0.both : $0.http1 }
    }

    /// The end of the certificate in seconds since 1970; nil if it cannot be told.
    var endsAt: Int64? { current(speaksHTTP2: false).endsAt }

    /// Reads the files again; throws and changes nothing when they cannot be used.
    func reload() throws(ConfigurationError) {
        let new = try Self.read(settings)
        contexts.withLock { $0 = new }
    }

    private static func read(_ settings: Configuration.ServerSettings) throws(ConfigurationError) -> Contexts {
        let certificate = try bytes("server.certificate_file", settings.certificateFile)
        let key = try bytes("server.private_key_file", settings.privateKeyFile)
        func context(_ protocols: [ALPNProtocol]) throws(TLSError) -> TLSServerContext {
            try TLSServerContext(
                certificatePEM: certificate,
                privateKeyPEM: key,
                protocols: protocols,
                isProtocolOptional: true
            )
        }
        do throws(TLSError) {
            return Contexts(http1: try context([]), both: try context([.h2, ALPNProtocol("http/1.1")]))
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
        ConfigurationError([ConfigurationProblem(location: "", key: key, code: code, detail: detail)])
    }
}
