import Dispatch
import NIOCore
import NIOPosix
import Servers
import Synchronization
import Testing
import Transport

/// Unanswered look-ups of strangers' names, and genuine names beside them, on real threads.
@Suite struct NameLookupTests {
    @Test func `1,500 black holes hold no genuine name that had an address before`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
        // A black hole blocks its thread until the test is over: each release allows the next one.
        let over = DispatchSemaphore(value: 0)
        defer { over.signal() }
        let resolver = AddressResolver.sharing { host in
            guard host.hasPrefix("hole") else { return [address] }
            over.wait()
            over.signal()
            return []
        }
        let loop = group.next()
        for host in ["one.example", "two.example"] { _ = try await resolver.resolve(host, 443, loop).get() }
        let holes = (0..<1500).map { resolver.resolve("hole-\($0).example", 443, loop) }
        for _ in 0..<100 {
            for host in ["one.example", "two.example", "web.push.apple.com"] {
                let ports = Mutex<[Int?]?>(nil)
                resolver.resolve(host, 8443, loop).whenSuccess { found in ports.withLock { $0 = found.map(\.port) } }
                let found = try await eventually("a thread for \(host)", within: .seconds(10)) { ports.withLock { $0 } }
                #expect(found == [8443])
            }
        }
        over.signal()
        for hole in holes { #expect(try await hole.get().isEmpty) }
        try await group.shutdownGracefully()
    }
}
