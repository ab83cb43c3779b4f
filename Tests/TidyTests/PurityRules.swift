extension Rule {
    /// Lists the inputs that pure targets must be given: clock, randomness, threads, the outside.
    static let purity = Rule("pure targets read nothing") { file in
        guard file.top == "Sources", let target = file.target, House.pure.contains(target), file.isHandwrittenSwift
        else { return [] }
        let flat = bannedInPure.flatMap { phrase in
            file.lines(of: phrase).map { Violation(path: file.path, line: $0, what: "\(phrase) in a pure target") }
        }
        let drawn = drawsOfChance.flatMap { phrase in
            file.lines(of: phrase).filter { !file.codeLine($0).contains("using:") }
                .map { Violation(path: file.path, line: $0, what: "\(phrase) without a generator handed in") }
        }
        return flat + drawn
    }

    private static let bannedInPure = [
        "ContinuousClock", "SuspendingClock", "UTCClock", "Date(", "Date.now", "clock_gettime(", "gettimeofday(",
        "mach_absolute_time(", "time(nil)", "DispatchTime", "DispatchQueue", "SystemRandomNumberGenerator",
        "arc4random(", "UUID(", ".hashValue", "Hasher()", "Task {", "Task.detached", "Task.sleep", "Task.yield",
        "await", "actor", "Thread", "Mutex", "Logger", "print(", "debugPrint(", "getenv(", "ProcessInfo",
        "FileManager", "FileHandle", "fopen(", "TimeZone", "Calendar", "DateFormatter",
    ]

    private static let drawsOfChance = [".random(", ".randomElement(", ".shuffled(", ".shuffle("]

    /// Forbids switches over providers: a provider is a folder in `PushProviders` and a line in its registry.
    static let providerSwitches = Rule("no switch over providers") { file in
        guard file.top == "Sources", file.target != "PushProviders", file.isHandwrittenSwift else { return [] }
        let patterns = ["apns", "fcm", "webpush", "hms"].flatMap { ["case .\($0)", "case ProviderName.\($0)"] }
        return patterns.flatMap { pattern in
            file.lines(of: pattern).map {
                Violation(path: file.path, line: $0, what: "\(pattern) outside PushProviders")
            }
        }
    }
}
