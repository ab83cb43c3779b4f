extension Rule {
    /// Keeps a worker's state about shards, campaigns and devices in the machines of `Delivery`, which the simulation
    /// runs.
    static let drivers = Rule("drivers keep no state of the protocol") { file in
        guard driverPaths.contains(where: file.path.hasPrefix), !mailboxes.contains(file.path) else { return [] }
        let functions = FunctionFinder.functions(in: file.code).map { $0.first..<$0.first + $0.lines }
        return protocolCollections.flatMap { type in
            file.lines(of: type).filter { line in
                let code = file.codeLine(line)
                return (code.contains("var ") || code.contains("let ")) && !code.contains("func ")
                    && !functions.contains { $0.contains(line) }
            }.map { Violation(path: file.path, line: $0, what: "\(type) is kept by a driver") }
        }
    }

    private static let driverPaths = [
        "Sources/Fleet/Sender/", "Sources/Fleet/Planner/", "Sources/Fleet/Intake/IntakeCoordinator",
    ]

    /// Types that carry facts to a machine on another thread, which takes them whole.
    private static let mailboxes: Set<String> = ["Sources/Fleet/Planner/ProgressedCampaigns.swift"]

    /// Collections keyed by the protocol's identities: shards, shares, campaigns, runs.
    private static let protocolCollections = [
        "[ShardKey:", "[ShardID:", "[ShareKey:", "[RunToken:", "[UInt32:", "Set<ShardKey>", "Set<ShardID>",
        "Set<ShareKey>", "Set<RunToken>", "Set<UInt32>",
    ]
}
