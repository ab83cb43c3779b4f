import Foundation
import Servers
import Testing

@testable import Operations

/// The messages to a service manager, and their times.
struct SupervisionTests {
    private let idle = ServiceStatus(isAlive: true, doing: "idle")
    private let starting = ServiceStatus(isAlive: true, unreadiness: ["broker: not connected"], doing: "idle")

    @Test func `ready is told once, by the first look that finds nothing in the way`() {
        var rule = SupervisionRule(hasWatchdog: false)
        #expect(rule.checked(starting) == [.status("not ready: broker: not connected")])
        #expect(rule.checked(starting) == [])
        #expect(rule.checked(idle) == [.ready, .status("idle")])
        #expect(rule.checked(starting) == [.status("not ready: broker: not connected")])
        #expect(rule.checked(idle) == [.status("idle")])
    }

    @Test func `a loop that does not answer feeds no watchdog`() {
        var rule = SupervisionRule(hasWatchdog: true)
        #expect(rule.checked(.stuck) == [.status("an event loop does not answer")])
        #expect(rule.checked(.stuck) == [])
        #expect(rule.checked(idle) == [.ready, .watchdog, .status("idle")])
        #expect(rule.checked(starting).first == .watchdog)
        #expect(rule.checked(.stuck) == [.status("an event loop does not answer")])
        #expect(rule.checked(idle) == [.watchdog, .status("idle")])
    }

    @Test func `the watchdog is fed until the end, and ready is not told any more`() {
        var rule = SupervisionRule(hasWatchdog: true)
        #expect(rule.stopping() == [.stopping])
        #expect(rule.stopping() == [])
        #expect(rule.checked(idle) == [.watchdog, .status("idle")])
        #expect(rule.reloading(microseconds: 1) == [])
        #expect(rule.reloaded() == [])
    }

    @Test func `a reload is told between ready and the end only`() {
        var rule = SupervisionRule(hasWatchdog: false)
        #expect(rule.reloading(microseconds: 1) == [])
        #expect(rule.reloaded() == [])
        _ = rule.checked(idle)
        #expect(rule.reloading(microseconds: 7) == [.reloading(microseconds: 7)])
        #expect(rule.reloaded() == [.ready])
    }

    @Test func `notices are assignments, and a status has one line`() {
        #expect(ServiceNotice.ready.text == "READY=1")
        #expect(ServiceNotice.watchdog.text == "WATCHDOG=1")
        #expect(ServiceNotice.stopping.text == "STOPPING=1")
        #expect(ServiceNotice.reloading(microseconds: 12).text == "RELOADING=1\nMONOTONIC_USEC=12")
        #expect(ServiceNotice.status("a\nREADY=1").text == "STATUS=a READY=1")
    }

    @Test(arguments: [true, false]) func `messages reach a socket with a path and one without`(isAbstract: Bool) throws
    {
        let folder = try ScratchFolder()
        let name = "fanfare-\(UInt32.random(in: 0 ... .max))"
        let address = isAbstract ? "@" + name : folder.path + "/" + name
        let listener = try NotifyListener(address: address)
        let socket = try #require(NotifySocket(address: address))
        #expect(socket.send([.ready, .status("idle")]))
        #expect(listener.next() == "READY=1\nSTATUS=idle")
    }

    @Test func `nobody listens: what was not said is said again`() async throws {
        let folder = try ScratchFolder()
        let address = folder.path + "/socket"
        let manager = try #require(Supervisor(environment: ["NOTIFY_SOCKET": address]))
        manager.stopping()
        let listener = try NotifyListener(address: address)
        manager.stopping()
        #expect(listener.next() == "STOPPING=1")
    }

    @Test func `without an address there is no service manager`() {
        #expect(Supervisor(environment: [:]) == nil)
        for address in ["", "@", "relative", "/" + String(repeating: "a", count: 200)] {
            #expect(Supervisor(environment: ["NOTIFY_SOCKET": address]) == nil, "\(address)")
        }
    }

    @Test func `a watchdog is ours when it is meant for this process`() {
        func pause(_ more: [String: String]) -> Duration? {
            Supervisor(environment: ["NOTIFY_SOCKET": "/n"].merging(more) { $1 }, pid: 7)?.pause
        }
        #expect(pause([:]) == .seconds(5))
        #expect(pause(["WATCHDOG_USEC": "2000000"]) == .milliseconds(500))
        #expect(pause(["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "7"]) == .milliseconds(500))
        #expect(pause(["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "8"]) == .seconds(5))
        #expect(pause(["WATCHDOG_USEC": "soon"]) == .seconds(5))
    }
}
