/// The tiers of the design, section 3: a target imports only targets above it.
enum House {
    /// The tiers in the order of the table, with their targets.
    static let tiers = [
        (name: "C", targets: ["CNGHTTP2", "COpenSSL", "CRabbitMQ", "CPostgreSQL", "CShims", "CBuild"]),
        (name: "pure", targets: ["Campaigns", "PushProviders", "Delivery"]),
        (name: "wrappers", targets: ["TLS", "HTTP2", "AMQP"]),
        (name: "drivers", targets: ["Transport", "Store"]),
        (
            name: "wiring",
            targets: [
                "Settings", "Operations", "Fleet", "Simulator", "WebServing", "HTTPServer", "DeviceEdge", "Bench",
            ]
        ),
        (name: "phone", targets: ["FanfareKit"]),
        (name: "tool", targets: ["fanfare"]),
    ]
    static let targets = tiers.flatMap(\.targets)
    static let libraries = tiers[0].targets
    static let pure = tiers[1].targets
    /// Each wrapper and the C targets that it may wrap.
    static let wrappers = [
        "TLS": ["COpenSSL", "CShims"], "HTTP2": ["CNGHTTP2", "CShims"], "AMQP": ["CRabbitMQ", "CShims"],
    ]
    /// Other targets that need some C themselves.
    static let usersOfC = ["Store": "CPostgreSQL", "Transport": "CShims", "fanfare": "CBuild"]
    /// Modules that the simulator must not share with the sender, so that both cannot share one mistake.
    static let bannedInSimulator = [
        "Campaigns", "PushProviders", "Delivery", "Transport", "Store", "Settings", "Operations", "Fleet", "AMQP",
    ]
    /// The only file outside `Fleet` that needs the worker: what an operator asks for stands in `Operations`.
    static let usersOfWorker = ["Sources/fanfare/Commands/WorkerCommand.swift"]

    /// Returns the reason why a target may not import a module; nil when it may.
    static func objection(to module: String, in target: String, path: String) -> String? {
        guard let own = targets.firstIndex(of: target) else { return "\(target) is not a target of section 3" }
        if let other = targets.firstIndex(of: module), other >= own, module != target {
            return "\(target) imports \(module), which stands below it"
        }
        if pure.contains(target) { return objectionInPure(to: module, target: target, path: path) }
        if let allowed = wrappers[target] {
            let stranger = targets.contains(module) && !allowed.contains(module)
            let driver = module.hasPrefix("NIO") || ["Foundation", "FoundationEssentials", "Dispatch"].contains(module)
            return stranger || driver ? "the wrapper \(target) imports \(module)" : nil
        }
        if module == "Fleet", target != "Fleet", !usersOfWorker.contains(where: path.hasPrefix) {
            return "\(path) imports the worker"
        }
        if target == "Simulator", bannedInSimulator.contains(module) { return "the simulator imports \(module)" }
        if target == "FanfareKit", !isOfKit(module, path: path) { return "FanfareKit imports \(module)" }
        if libraries.contains(module), !libraries.contains(target), usersOfC[target] != module {
            return "\(target) imports \(module), which a wrapper hides"
        }
        return nil
    }

    /// Returns true for Foundation, which is two modules on Linux; Apple-only modules are confined to one folder.
    private static func isOfKit(_ module: String, path: String) -> Bool {
        if ["Foundation", "FoundationNetworking"].contains(module) { return true }
        let apples = ["UserNotifications", "UIKit", "SwiftUI", "WebKit", "ActivityKit"]
        return path.hasPrefix("Sources/FanfareKit/Apple/") && apples.contains(module)
    }

    private static func objectionInPure(to module: String, target: String, path: String) -> String? {
        let atCodec = path.hasPrefix("Sources/Campaigns/Shards/")
        switch module {
        case _ where pure.contains(module): return nil
        case "SwiftProtobuf", "FoundationEssentials": return atCodec ? nil : "\(module) outside the shard codec"
        case "Foundation" where path.hasSuffix(".pb.swift"): return nil
        default: return "the pure target \(target) imports \(module)"
        }
    }
}

extension Rule {
    /// Checks the imports of each tier.
    static let imports = Rule("imports stand above") { file in
        guard file.top == "Sources", file.path.hasSuffix(".swift"), let target = file.target else { return [] }
        return file.imports.compactMap { line, module in
            House.objection(to: module, in: target, path: file.path).map {
                Violation(path: file.path, line: line, what: $0)
            }
        }
    }
}

extension SourceFile {
    /// The modules that the file imports, with their lines.
    var imports: [(line: Int, module: String)] {
        lines(of: "import").compactMap { line in
            let words = codeLine(line).split(separator: " ")
            guard let at = words.firstIndex(of: "import"), at + 1 < words.count else { return nil }
            let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor"]
            let next = kinds.contains(String(words[at + 1])) && at + 2 < words.count ? at + 2 : at + 1
            return (line, String(words[next].prefix { $0 != "." && $0 != ";" }))
        }
    }
}
