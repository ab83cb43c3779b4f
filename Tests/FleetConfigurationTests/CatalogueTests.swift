import Logging
import Testing

@testable import Settings

@Suite struct CatalogueTests {
    @Test func `every key has one name and one variable`() {
        let keys = ConfigurationCatalogue.keys
        #expect(Set(keys.map(\.name)).count == keys.count)
        let variables = keys.map(\.environment) + keys.filter(\.isSecret).map { $0.environment + "_FILE" }
        #expect(Set(variables).count == variables.count)
        #expect(ConfigurationCatalogue.key(named: "amqp.url")?.environment == "FANFARE_AMQP_URL")
    }

    @Test func `the keys of the contract are there`() {
        let contract = [
            "amqp.url", "store.url", "worker.unflushed", "apps.file", "log.level", "log.format", "worker.roles",
            "worker.loops", "worker.drain", "worker.listen", "server.listen", "server.edge_listen",
            "server.tokens_file", "store.retention.campaigns", "store.retention.outcomes", "store.retention.lists",
            "store.retention.tracking", "store.retention.parked",
        ]
        #expect(Set(contract).isSubset(of: ConfigurationCatalogue.keys.map(\.name)))
    }

    @Test func `words of the log level are those of swift-log`() throws {
        let key = try #require(ConfigurationCatalogue.key(named: "log.level"))
        guard case .word(let words) = key.kind else {
            Issue.record("log.level is not a word")
            return
        }
        #expect(words == Logger.Level.allCases.map(\.rawValue))
    }

    @Test func `cores are counted as the kernel allows them`() {
        #expect(AvailableCores.allowed(inStatus: "Name:\tx\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n") == 2)
        #expect(AvailableCores.allowed(inStatus: "Cpus_allowed:\tff,ffffffff\n") == 40)
        #expect(AvailableCores.allowed(inStatus: "Name:\tx\n") == nil)
    }

    @Test(arguments: [("urll", "url"), ("levle", "level"), ("worker.unflush", "worker.unflushed")])
    func `a near name is suggested`(misspelt: String, meant: String) {
        #expect(NearestName.to(misspelt, among: ["url", "level", "worker.unflushed"]) == meant)
    }

    @Test func `a far name suggests nothing`() {
        #expect(NearestName.to("elephant", among: ["url", "level"]) == nil)
    }
}
