import Foundation
import Servers
import Synchronization
import Testing

@testable import Operations

@Suite struct LogRelayTests {
    /// A full pipe with a log writer at its end.
    private struct Piped {
        let reading: FileHandle
        let relay: LogRelay

        init(capacity: Int) throws {
            let pipe = try Pipe.full()
            let writing = pipe.fileHandleForWriting
            reading = pipe.fileHandleForReading
            relay = LogRelay(capacity: capacity, notice: { "\($0) missing\n" }) {
                Descriptor.write($0, to: writing.fileDescriptor)
            }
        }

        /// Reads lines until `areAll` is true.
        func lines(until areAll: ([Substring]) -> Bool) throws -> [Substring] {
            var text = ""
            while true {
                text += String(decoding: reading.availableData, as: UTF8.self)
                let lines = text.split(separator: "\n")
                if text.hasSuffix("\n"), areAll(lines) { return lines }
            }
        }
    }

    /// Returns the number of lines added before the end: each has its number, and each gap states its length.
    ///
    /// Returns nil when a line is out of place.
    private static func added(_ lines: [Substring]) -> Int? {
        var count = 0
        for line in lines {
            if line == "line \(count)" {
                count += 1
            } else if line.hasSuffix(" missing"), let missing = Int(line.dropLast(8)), missing > 0 {
                count += missing
            } else {
                return nil
            }
        }
        return count
    }

    @Test func `D10: nobody waits for a pipe that nobody reads, and a line says how many were dropped`() throws {
        let piped = try Piped(capacity: 8192)
        for number in 0..<5000 { piped.relay.add("line \(number)\n") }
        // A late thread finds more than one gap, and the last lines may have found room.
        let lines = try piped.lines { Self.added($0).map { $0 == 5000 } ?? true }
        #expect(Self.added(lines) == 5000)
        #expect(lines.count { $0.hasPrefix("line ") } > 8192 / 10)
        #expect(lines.contains { $0.hasSuffix(" missing") })
        piped.relay.add("after\n")
        #expect(try piped.lines { $0 == ["after"] } == ["after"])
        #expect(piped.relay.end(within: .seconds(60)))
    }

    @Test func `D10: the end waits for a reader, and not for ever`() throws {
        let piped = try Piped(capacity: 8192)
        for number in 0..<5000 { piped.relay.add("line \(number)\n") }
        #expect(!piped.relay.end(within: .milliseconds(1)))
        _ = try piped.lines { Self.added($0) == 5000 }
        #expect(piped.relay.end(within: .seconds(60)))
    }

    @Test func `the end writes what waits`() {
        let written = Mutex("")
        let relay = LogRelay(notice: { "\($0) missing\n" }) { bytes in
            written.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            return bytes.count
        }
        for number in 0..<100 { relay.add("line \(number)\n") }
        #expect(relay.end(within: .seconds(60)))
        #expect(written.withLock { $0 } == (0..<100).map { "line \($0)\n" }.joined())
    }

    @Test func `the lines of each thread keep their order`() {
        let written = Mutex("")
        let relay = LogRelay(notice: { "\($0) missing\n" }) { bytes in
            written.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            return bytes.count
        }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<1000 { relay.add("\(thread) \(number)\n") }
        }
        #expect(relay.end(within: .seconds(60)))
        let lines = written.withLock { $0 }.split(separator: "\n")
        for thread in 0..<4 {
            let own = lines.filter { $0.hasPrefix("\(thread) ") }
            #expect(own == (0..<1000).map { "\(thread) \($0)" })
        }
    }

    @Test func `what a full disk cut is told on a line of its own when there is room again`() {
        /// A disk that accepts so many bytes, then none until it has room.
        struct Disk {
            var text = ""
            var room = 13
        }
        let disk = Mutex(Disk())
        let tried = DispatchSemaphore(value: 0)
        let relay = LogRelay(notice: { "\($0) missing\n" }) { bytes in
            defer { tried.signal() }
            return disk.withLock { disk in
                let taken = min(bytes.count, disk.room)
                disk.text += String(decoding: bytes.prefix(taken), as: UTF8.self)
                disk.room -= taken
                return taken
            }
        }
        relay.add("line 0\nline 1\n")
        // The lines, and the notice that one of them is missing.
        for _ in 1...2 { tried.wait() }
        relay.add("line 2\n")
        tried.wait()
        disk.withLock { $0.room = 1000 }
        relay.add("line 3\n")
        #expect(relay.end(within: .seconds(60)))
        let lines = disk.withLock { $0.text }.split(separator: "\n")
        #expect(lines == ["line 0", "line 1", "2 missing", "line 3"])
    }
}
