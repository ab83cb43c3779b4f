import Delivery
import Store
import Transport

/// Reads the texts of settings into values and collects their problems.
struct SettingReader {
    private let settings: [String: Setting]
    private let base: String
    private(set) var problems: [ConfigurationProblem]

    init(settings: [String: Setting], base: String, problems: [ConfigurationProblem]) {
        self.settings = settings
        self.base = base
        self.problems = problems
    }

    private func text(_ name: String) -> String? {
        guard let text = settings[name]?.text, !text.isEmpty else { return nil }
        return text
    }

    private mutating func refuse(_ name: String, _ code: String, _ detail: String, _ fix: String? = nil) {
        let location = settings[name]?.location ?? ""
        problems.append(ConfigurationProblem(location: location, key: name, code: code, detail: detail, fix: fix))
    }

    mutating func broker(_ name: String) -> AMQPEndpoint {
        do throws(AMQPEndpointError) {
            return try AMQPEndpoint(parsing: text(name) ?? "")
        } catch {
            refuse(name, "invalid_url", error.description)
            return AMQPEndpoint(hosts: [])
        }
    }

    /// Returns the address of a URL, and true if the URL is `https`.
    mutating func httpOrHTTPSURL(_ name: String) -> (address: Configuration.NetworkAddress?, isSecure: Bool) {
        let isSecure = text(name)?.hasPrefix("https://") == true
        let fix = "write https://host:15671, or http://127.0.0.1:15672 on the broker's own machine"
        return (address(name, ofURL: isSecure ? "https://" : "http://", fix), isSecure)
    }

    mutating func address(
        _ name: String,
        ofURL scheme: String,
        _ fix: String
    ) -> Configuration.NetworkAddress? {
        guard let text = text(name) else { return nil }
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" }
        let rest = text.dropFirst(scheme.count + authority.count)
        guard text.hasPrefix(scheme), !authority.contains("@"), rest.isEmpty || rest == "/",
            let address = Self.address(String(authority))
        else {
            refuse(name, "invalid_url", "not an HTTP URL of host and port", fix)
            return nil
        }
        return address
    }

    mutating func store(_ name: String) -> Configuration.StoreLocation {
        let text = text(name) ?? ""
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            return postgreSQL(name, text)
        } else if text.hasPrefix("sqlite:"), text.count > 7 {
            // sqlite:///var/lib/fanfare.db and sqlite:/var/lib/fanfare.db are the same file.
            let path = text.dropFirst(7)
            let plain = path.hasPrefix("///") ? path.dropFirst(2) : path
            return .sqlite(path: PathText.absolute(String(plain), from: base))
        } else {
            let forms = "write sqlite:PATH or postgresql://user@host/database"
            refuse(name, "invalid_url", "not a store's URL", forms)
        }
        return .sqlite(path: "")
    }

    private mutating func postgreSQL(_ name: String, _ text: String) -> Configuration.StoreLocation {
        // `config show` would not hide a password among the parameters.
        if text.contains("?password=") || text.contains("&password=") {
            refuse(
                name,
                "invalid_url",
                "a password among the parameters",
                "write postgresql://user:password@host/database"
            )
        } else if let problem = Ledger.problem(ofPostgreSQL: text) {
            let form = Ledger.hasPostgreSQL ? "write postgresql://user@host:5432/database" : "write sqlite:PATH"
            refuse(name, "invalid_url", problem, form)
        }
        return .postgreSQL(url: text)
    }

    mutating func path(_ name: String) -> String? {
        text(name).map { PathText.absolute($0, from: base) }
    }

    mutating func number(_ name: String) -> Int? {
        guard let text = text(name), case .number(let range) = settings[name]?.key.kind else { return nil }
        guard let number = Int(text), range.contains(number) else {
            refuse(
                name,
                "out_of_range",
                "\(text) is not a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
            return nil
        }
        return number
    }

    mutating func duration(_ name: String) -> Duration {
        guard let text = text(name), let duration = DurationText.parse(text) else {
            let given = text(name) ?? "nothing"
            refuse(name, "invalid_duration", "\(given) is not a duration", "write a number with ms, s, m, h or d: 20s")
            return .zero
        }
        return duration
    }

    mutating func address(_ name: String) -> Configuration.NetworkAddress? {
        guard let text = text(name) else { return nil }
        guard let address = Self.address(text) else {
            refuse(name, "invalid_address", "\(text) is not an address", "write host:port, for example 127.0.0.1:9464")
            return nil
        }
        return address
    }

    /// Parses `host:port` or `[::1]:port`.
    private static func address(_ text: String) -> Configuration.NetworkAddress? {
        guard let colon = text.lastIndex(of: ":"), colon != text.startIndex,
            let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port)
        else { return nil }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            return Configuration.NetworkAddress(host: String(host.dropFirst().dropLast()), port: port)
        }
        return host.contains(":") ? nil : Configuration.NetworkAddress(host: String(host), port: port)
    }

    mutating func word(_ name: String) -> String {
        let text = text(name) ?? ""
        guard case .word(let known) = settings[name]?.key.kind, !known.contains(text) else { return text }
        refuse(name, "unknown_word", "\(text.isEmpty ? "nothing" : text) is none of \(known.joined(separator: ", "))")
        return text
    }

    mutating func webhookHosts(_ name: String) -> WebhookHosts {
        let texts = (text(name) ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        let (hosts, refused) = WebhookHosts.read(texts)
        for text in refused {
            let forms = "write hooks.example.com, *.example.org, or for this machine 127.0.0.1:9000 with the port"
            refuse(name, "invalid_host", "\(text.isEmpty ? "nothing" : text) is not a host", forms)
        }
        return hosts
    }

    mutating func proxies(_ name: String) -> TrustedProxies {
        let texts = (text(name) ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        let (proxies, refused) = TrustedProxies.read(texts)
        for text in refused {
            let what = text.isEmpty ? "nothing" : text
            refuse(name, "invalid_network", "\(what) is no address and no network", "write 10.0.0.0/8 or 2001:db8::/32")
        }
        return proxies
    }

    mutating func words(_ name: String) -> [String] {
        guard let text = text(name), case .words(let known) = settings[name]?.key.kind else { return [] }
        if text == "all" { return known }
        let words = text.split(separator: ",").map { $0.filter { $0 != " " } }
        for word in words where !known.contains(word) {
            refuse(name, "unknown_word", "\(word) is none of \(known.joined(separator: ", "))")
        }
        if words.isEmpty {
            refuse(name, "no_value", "nothing is named", "write all, or \(known.joined(separator: ","))")
        }
        return words
    }
}
