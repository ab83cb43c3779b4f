import Testing
import Transport

@Suite("amqp.url")
struct AMQPEndpointTests {
    @Test func `the default is the virtual host / on the usual port`() throws {
        let endpoint = try AMQPEndpoint(parsing: "amqp://guest:guest@127.0.0.1:5672")
        #expect(endpoint == AMQPEndpoint(hosts: [.init(name: "127.0.0.1", port: 5672)]))
        #expect(try AMQPEndpoint(parsing: "amqp://127.0.0.1/") == endpoint)
    }

    @Test func `several hosts, escapes and an IPv6 address`() throws {
        let endpoint = try AMQPEndpoint(parsing: "amqp://us%3Aer:p@ss%2F@a,b:1,[::1]:2/my%2Fhost")
        #expect(endpoint.hosts.map(\.description) == ["a:5672", "b:1", "[::1]:2"])
        #expect(endpoint.user == "us:er")
        #expect(endpoint.password == "p@ss/")
        #expect(endpoint.virtualHost == "my/host")
    }

    @Test func `amqps takes the files of RabbitMQ's query`() throws {
        let endpoint = try AMQPEndpoint(parsing: "amqps://h?cacertfile=/ca.pem&certfile=c&keyfile=k%20")
        #expect(endpoint.hosts == [.init(name: "h", port: 5671)])
        #expect(endpoint.tls == .init(authorities: "/ca.pem", certificate: "c", key: "k "))
    }

    @Test func `the description has no password`() throws {
        let endpoint = try AMQPEndpoint(parsing: "amqps://me:secret@h/v")
        #expect(endpoint.description == "amqps://me@h:5671/v")
    }

    @Test(arguments: [
        "http://h", "h:5672", "amqp://", "amqp://h:0", "amqp://h:70000", "amqp://h:", "amqp://u:secret@h/a/b",
        "amqp://u:secret%2@h", "amqp://[::1", "amqp://::1", "amqp://h?cacertfile=x", "amqps://h?certfile=x",
        "amqps://h?heartbeat=3", "amqp://u:secret%FF@h", "amqp://a,,b",
    ])
    func `what cannot be meant is refused, without the password`(url: String) {
        let error = #expect(throws: AMQPEndpointError.self) { try AMQPEndpoint(parsing: url) }
        #expect(error?.description.contains("secret") == false)
    }
}
