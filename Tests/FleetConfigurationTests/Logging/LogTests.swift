import Campaigns
import Logging
import Synchronization
import Testing

@testable import Operations

@Suite struct LogTests {
    /// Collects a handler's output.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    private func log(
        isPretty: Bool,
        threshold: LogThreshold = LogThreshold(.info),
        _ use: (Logger) -> Void
    ) -> [String] {
        let lines = Lines()
        let handler = StandardErrorLog(
            label: "fanfare.test",
            threshold: threshold,
            line: LogLine(isPretty: isPretty, isColoured: false),
            write: { lines.add($0) }
        )
        use(Logger(label: "fanfare.test") { _ in handler })
        return lines.all
    }

    @Test func `a JSON line is one object with the fields beside the message`() throws {
        let lines = log(isPretty: false) { logger in
            logger.info("it \"runs\"\nhere", metadata: ["shard": "1.0.2", "level": "mine"])
            logger.debug("nobody wants this")
        }
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        #expect(line.hasSuffix("\n"))
        let value = try #require(JSONReader.read(Array(line.utf8)).value)
        #expect(value.members?.map(\.name) == ["time", "level", "logger", "message", "field.level", "shard"])
        #expect(value["message"]?.string == "it \"runs\"\nhere")
        #expect(value["level"]?.string == "info")
        let time = try #require(value["time"]?.string)
        #expect(throws: Never.self) { try Timestamp(rfc3339: time) }
    }

    @Test func `a pretty event is one line`() throws {
        let lines = log(isPretty: true) { $0.warning("one\ntwo", metadata: ["a": "b"]) }
        let line = try #require(lines.first)
        #expect(line.hasSuffix(" WARNING  one\\ntwo a=b\n"))
    }

    @Test func `the process's level changes for loggers that are there already`() {
        let threshold = LogThreshold(.info)
        let lines = log(isPretty: true, threshold: threshold) { logger in
            var talkative = logger
            talkative.logLevel = .trace
            logger.debug("one")
            threshold.level = .debug
            logger.debug("two")
            threshold.level = .error
            logger.warning("three")
            talkative.trace("four")
        }
        #expect(lines.map { $0.contains("two") } == [true, false])
        #expect(lines.last?.contains("four") == true)
    }
}
