import Logging
import Settings
import Testing
import Transport

@Suite struct ConfigurationTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private func load(
        flags: [ConfigurationSources.Flag] = [],
        environment: [String: String] = [:],
        yaml: String? = nil
    ) throws -> Configuration {
        if let yaml { try folder.write("fanfare.yaml", yaml) }
        return try ConfigurationSources(flags: flags, environment: environment, workingDirectory: folder.path).load()
    }

    private func problems(
        flags: [ConfigurationSources.Flag] = [],
        environment: [String: String] = [:],
        yaml: String? = nil
    ) throws -> [ConfigurationProblem] {
        let error = try #require(throws: ConfigurationError.self) {
            try load(flags: flags, environment: environment, yaml: yaml)
        }
        return error.problems
    }

    @Test func `without any layer the contract's defaults hold`() throws {
        let configuration = try load()
        #expect(configuration.amqp == AMQPEndpoint(hosts: [.init(name: "127.0.0.1", port: 5672)]))
        #expect(configuration.management == nil)
        #expect(configuration.store == .sqlite(path: folder.path + "/fanfare.db"))
        #expect(configuration.appsFile == folder.path + "/apps.yaml")
        #expect(configuration.worker.roles == Set(Configuration.Role.allCases))
        #expect(configuration.worker.loops >= 1)
        #expect(configuration.worker.unflushed == 4000)
        #expect(configuration.worker.drain == .seconds(20))
        #expect(configuration.worker.listen.description == "127.0.0.1:9464")
        #expect(!configuration.worker.listenIsGiven)
        #expect(configuration.log == .init(level: .info, format: .auto))
        #expect(configuration.settings.map(\.key.name) == ConfigurationCatalogue.keys.map(\.name))
    }

    @Test func `flags win over the environment, the environment over the file, the file over defaults`() throws {
        let yaml = "worker:\n  unflushed: 100\n  loops: 2\n  drain: 5s\n"
        let configuration = try load(
            flags: [.init("--unflushed", key: "worker.unflushed", value: "300")],
            environment: ["FANFARE_WORKER_UNFLUSHED": "200", "FANFARE_WORKER_LOOPS": "3", "PATH": "/bin"],
            yaml: yaml
        )
        #expect(configuration.worker.unflushed == 300)
        #expect(configuration.worker.loops == 3)
        #expect(configuration.worker.drain == .seconds(5))
        let origins = Dictionary(uniqueKeysWithValues: configuration.settings.map { ($0.key.name, $0.origin) })
        #expect(origins["worker.unflushed"] == .flag)
        #expect(origins["worker.loops"] == .environment)
        #expect(origins["worker.drain"] == .file)
        #expect(origins["log.level"] == .fallback)
    }

    @Test func `paths are relative to the configuration file`() throws {
        let file = try folder.write("other.yaml", "store: {url: sqlite:data/f.db}\napps.file: my/apps.yaml\n")
        let sources = ConfigurationSources(environment: [:], file: file, workingDirectory: "/")
        let configuration = try sources.load()
        #expect(configuration.store == .sqlite(path: folder.path + "/data/f.db"))
        #expect(configuration.appsFile == folder.path + "/my/apps.yaml")
    }

    @Test(arguments: ["sqlite:/var/f.db", "sqlite:///var/f.db"])
    func `an absolute store is taken as it is`(url: String) throws {
        #expect(try load(environment: ["FANFARE_STORE_URL": url]).store == .sqlite(path: "/var/f.db"))
    }

    @Test func `a store in PostgreSQL is taken as it is, and refused where the program was built without it`() throws {
        let url = "postgresql://fanfare@db:5432/fanfare"
        #if PostgreSQL
        #expect(try load(environment: ["FANFARE_STORE_URL": url]).store == .postgreSQL(url: url))
        #else
        let problem = try #require(try problems(environment: ["FANFARE_STORE_URL": url]).first)
        #expect(problem.detail == "this program was built without PostgreSQL")
        #expect(problem.fix == "write sqlite:PATH")
        #endif
    }

    @Test func `a missing default file is fine, a missing named one is not`() throws {
        let sources = ConfigurationSources(environment: [:], file: "none.yaml", workingDirectory: folder.path)
        let error = try #require(throws: ConfigurationError.self) { try sources.load() }
        #expect(error.problems.map(\.code) == ["unreadable_file"])
        #expect(error.problems.first?.location == folder.path + "/none.yaml")
    }

    @Test func `unknown keys and variables are refused with what was meant, all at once`() throws {
        let yaml = "amqp:\n  urll: amqp://localhost\nworkers: 3\n"
        let found = try problems(environment: ["FANFARE_AMQP_ULR": "amqp://localhost"], yaml: yaml)
        #expect(found.map(\.code) == ["unknown_key", "unknown_key", "unknown_key"])
        #expect(found.map(\.fix).first == "did you mean amqp.url?")
        #expect(found.map(\.fix).last == "did you mean FANFARE_AMQP_URL?")
        #expect(
            found.map(\.location).prefix(2) == [
                folder.path + "/fanfare.yaml:2", folder.path + "/fanfare.yaml:3",
            ]
        )
    }

    @Test func `a password in a flag is refused with the hint, and is not repeated`() throws {
        let flag = ConfigurationSources.Flag("--amqp", key: "amqp.url", value: "amqp://me:hunter2@broker")
        let found = try problems(flags: [flag])
        #expect(found.map(\.code) == ["password_in_flag"])
        #expect(found.first?.fix?.contains("FANFARE_AMQP_URL_FILE") == true)
        #expect(found.first?.line.contains("hunter2") == false)
        let plain = ConfigurationSources.Flag("--amqp", key: "amqp.url", value: "amqp://broker:5673/news")
        #expect(try load(flags: [plain]).amqp.virtualHost == "news")
    }

    @Test func `a secret may come from a file`() throws {
        let file = try folder.write("secret", "amqp://me:hunter2@broker\n")
        let configuration = try load(environment: ["FANFARE_AMQP_URL_FILE": file])
        #expect(configuration.amqp.password == "hunter2")
        let both = ["FANFARE_AMQP_URL_FILE": file, "FANFARE_AMQP_URL": "amqp://broker"]
        #expect(try problems(environment: both).map(\.code) == ["given_twice"])
        #expect(try problems(environment: ["FANFARE_AMQP_URL_FILE": "none"]).map(\.code) == ["unreadable_file"])
    }

    @Test(arguments: [
        ("amqp://me:hunter2@broker:5672/v?heartbeat=10", "amqp://me:***@broker:5672/v?heartbeat=10"),
        ("amqp://me:hun@ter2@broker", "amqp://me:***@broker"),
        ("amqp://me:hun/ter2@broker", "amqp://me:***@broker"),
        ("amqp://me@broker:5672", "amqp://me@broker:5672"),
        ("amqp://broker:5672/", "amqp://broker:5672/"),
    ])
    func `a password is not shown`(url: String, shown: String) throws {
        let key = try #require(ConfigurationCatalogue.key(named: "amqp.url"))
        #expect(key.redacted(url) == shown)
    }

    @Test(arguments: [
        ("FANFARE_AMQP_URL", "http://broker", "invalid_url"),
        ("FANFARE_AMQP_MANAGEMENT_URL", "amqp://broker", "invalid_url"),
        ("FANFARE_AMQP_MANAGEMENT_URL", "http://me:secret@broker:15672", "invalid_url"),
        ("FANFARE_AMQP_MANAGEMENT_URL", "http://broker", "invalid_url"),
        ("FANFARE_AMQP_MANAGEMENT_URL", "https://me:secret@broker:15671", "invalid_url"),
        ("FANFARE_WORKER_LISTEN", "::1:9464", "invalid_address"),
        ("FANFARE_STORE_URL", "fanfare.db", "invalid_url"),
        ("FANFARE_STORE_URL", "postgres://db/fanfare?nonsense=1", "invalid_url"),
        ("FANFARE_STORE_URL", "postgres://db/fanfare?sslmode=require&password=hunter2", "invalid_url"),
        ("FANFARE_WORKER_UNFLUSHED", "0", "out_of_range"),
        ("FANFARE_WORKER_LOOPS", "many", "out_of_range"),
        ("FANFARE_WORKER_DRAIN", "20", "invalid_duration"),
        ("FANFARE_WORKER_LISTEN", "localhost", "invalid_address"),
        ("FANFARE_WORKER_ROLES", "intake,plannner", "unknown_word"),
        ("FANFARE_LOG_LEVEL", "loud", "unknown_word"),
        ("FANFARE_LOG_FORMAT", "xml", "unknown_word"),
        ("FANFARE_STORE_RETENTION_LISTS", "forever", "invalid_duration"),
        ("FANFARE_SERVER_LISTEN", "8080", "invalid_address"),
    ])
    func `a value that cannot be is refused`(variable: String, value: String, code: String) throws {
        let found = try problems(environment: [variable: value])
        #expect(found.map(\.code) == [code])
        #expect(found.first?.location == variable)
    }

    @Test func `values of later parts are taken`() throws {
        let yaml = """
            server: {listen: "[::1]:8080", edge_listen: 0.0.0.0:8443, tokens_file: tokens}
            store: {retention: {campaigns: 10d, tracking: 12h}}
            """
        #expect(throws: Never.self) { try load(yaml: yaml) }
    }

    @Test func `the management API is a host and a port`() throws {
        let configuration = try load(environment: ["FANFARE_AMQP_MANAGEMENT_URL": "http://[::1]:15672/"])
        #expect(configuration.management == .init(host: "::1", port: 15_672) && !configuration.isManagementSecure)
        let secure = try load(environment: ["FANFARE_AMQP_MANAGEMENT_URL": "https://broker:15671"])
        #expect(secure.management == .init(host: "broker", port: 15_671) && secure.isManagementSecure)
    }

    @Test func `roles are a list in either form`() throws {
        #expect(try load(yaml: "worker: {roles: [intake, sender]}").worker.roles == [.intake, .sender])
        #expect(try load(environment: ["FANFARE_WORKER_ROLES": "planner, sender"]).worker.roles == [.planner, .sender])
    }

    @Test(arguments: [
        ("amqp: [1", "invalid_yaml"), ("log: {level: info, level: debug}", "invalid_yaml"), ("- a", "wrong_type"),
        ("log: {level: }", "no_value"), ("log: {level: {a: b}}", "wrong_type"), ("log: {level: [info]}", "wrong_type"),
        ("worker: 3", "wrong_type"),
    ])
    func `a file of another shape is refused with its line`(yaml: String, code: String) throws {
        let found = try problems(yaml: yaml)
        #expect(found.map(\.code) == [code])
        #expect(found.first?.location.hasPrefix(folder.path + "/fanfare.yaml:") == true)
    }

    @Test func `durations are numbers with a unit`() {
        #expect(DurationText.parse("500ms") == .milliseconds(500))
        #expect(DurationText.parse("10m") == .seconds(600))
        #expect(DurationText.parse("90d") == .seconds(7_776_000))
        for text in ["", "s", "-1s", "1.5s", "1w", "99999999999999999999s", "9999999999999d"] {
            #expect(DurationText.parse(text) == nil, "\(text)")
        }
        #expect(DurationText.spoken(.seconds(800)) == "13 min 20 s")
        #expect(DurationText.spoken(.seconds(3600)) == "1 h")
        #expect(DurationText.spoken(.zero) == "0 s")
        #expect(DurationText.spoken(.milliseconds(301)) == "301 ms")
        #expect(DurationText.spoken(.milliseconds(-5)) == "0 s")
    }
}
