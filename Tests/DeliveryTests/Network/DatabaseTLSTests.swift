import Delivery
import Testing

@Suite struct DatabaseTLSTests {
    private func tls(_ hosts: [String], mode: String? = nil, hasRoots: Bool = false) -> DatabaseTLS {
        DatabaseTLS(.init(hosts: hosts, mode: mode, hasRoots: hasRoots))
    }

    @Test(arguments: [[], [""], ["127.0.0.1"], ["127.9.8.7", "::1"], ["localhost"], ["/run/postgresql"], ["@fanfare"]])
    func `this machine is left to libpq`(_ hosts: [String]) {
        let tls = tls(hosts)
        #expect(tls.mode == nil && tls.roots == nil && !tls.leavesMachine && !tls.isOpen)
    }

    @Test(arguments: [["db"], ["10.0.0.1"], ["127.0.0.1", "db"], ["db", "127.0.0.1"], ["127.0.0.1.example.com"]])
    func `any other machine has to prove its name by the system's certificates`(_ hosts: [String]) {
        let tls = tls(hosts)
        #expect(tls.mode == "verify-full" && tls.roots == "/etc/ssl/certs/ca-certificates.crt")
        #expect(tls.isDefault && tls.leavesMachine && !tls.isOpen)
        #expect(self.tls(hosts, hasRoots: true).roots == nil)
    }

    @Test(arguments: ["disable", "allow", "prefer", "require"])
    func `what is asked for is done, and is open`(_ mode: String) {
        let tls = tls(["db"], mode: mode)
        #expect(tls.mode == mode && tls.roots == nil && tls.isOpen && !tls.isDefault)
        #expect(!self.tls(["localhost"], mode: mode).isOpen)
    }

    @Test func `verify-ca gets the system's certificates too`() {
        #expect(tls(["db"], mode: "verify-ca").roots == DatabaseTLS.systemRoots)
        #expect(tls(["localhost"], mode: "verify-full").roots == DatabaseTLS.systemRoots)
        #expect(!tls(["db"], mode: "verify-ca").isOpen)
    }
}
