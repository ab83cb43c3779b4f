import Foundation
import Testing

@testable import FanfareKit

/// The times and contents of a device's registrations.
@Suite struct RegistrarTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)
    private let spare = UUID()

    private func registrar(hasServer: Bool = true, hasKey: Bool = true) -> Registrar {
        var facts = DeviceFacts()
        facts.token = "ab"
        return Registrar(memory: .init(device: UUID()), facts: facts, hasServer: hasServer, hasKey: hasKey)
    }

    private func registered() -> Registrar {
        var registrar = registrar()
        #expect(registrar.next(now: start) != nil)
        end(&registrar, .registered, secret: "s")
        return registrar
    }

    private func request(_ registrar: inout Registrar) throws -> Registrar.Request {
        let request = registrar.next(now: start)
        return try #require(request)
    }

    private func end(
        _ registrar: inout Registrar,
        _ status: RegistrationResult.Status,
        secret: String? = nil,
        retryAfter: TimeInterval? = nil,
        at now: Date? = nil
    ) {
        registrar.ended(
            RegistrationResult(status),
            secret: secret,
            retryAfter: retryAfter,
            now: now ?? start,
            chance: 0,
            spare: spare
        )
    }

    @Test func `a device registers with the key once, and with its own secret from then on`() throws {
        var registrar = registrar()
        let first = try request(&registrar)
        #expect(first.secret == nil && first.body["token"] == .string("ab"))
        #expect(registrar.next(now: start) == nil)
        end(&registrar, .registered, secret: "s")
        #expect(registrar.isRegistered && registrar.next(now: start) == nil)
        registrar.change { $0.locale = "es-ES" }
        let second = try request(&registrar)
        #expect(second.secret == "s" && second.body["locale"] == .string("es-ES"))
    }

    @Test func `without a token nothing is sent, and what is missing is said`() {
        var registrar = Registrar(memory: .init(device: UUID()), facts: DeviceFacts(), hasServer: true, hasKey: true)
        #expect(registrar.next(now: start) == nil && registrar.obstacle == nil)
        #expect(self.registrar(hasServer: false).obstacle?.status == .serverEmpty)
        #expect(self.registrar(hasKey: false).obstacle?.status == .integrationKeyEmpty)
    }

    @Test func `tags are told as what was added and removed, a log-out as null, and only once`() throws {
        var registrar = registered()
        registrar.change { ($0.tags, $0.user, $0.attributes) = (["a", "b"], "ana", ["team": .string("x")]) }
        let first = try request(&registrar).body
        #expect(first["tags"] == .object(["add": .array([.string("a"), .string("b")]), "remove": .array([])]))
        #expect(first["user"] == .string("ana") && first["attributes"] == .object(["team": .string("x")]))
        end(&registrar, .registered)
        registrar.change { ($0.tags, $0.user) = (["b"], nil) }
        let second = try request(&registrar).body
        #expect(second["tags"] == .object(["add": .array([]), "remove": .array([.string("a")])]))
        #expect(second["user"] == .null && second["attributes"] == nil)
        end(&registrar, .registered)
        registrar.change { $0.locale = "es" }
        #expect(try request(&registrar).body["user"] == nil)
    }

    @Test(arguments: [RegistrationResult.Status.connectionIssue, .unexpectedError, .tooManyRequests])
    func `what fails in passing is tried again, later each time`(status: RegistrationResult.Status) {
        var registrar = registrar()
        var waits: [TimeInterval] = []
        var now = start
        for _ in 0..<4 {
            #expect(registrar.next(now: now) != nil)
            end(&registrar, status, at: now)
            let wake = registrar.wakeAt(now: now) ?? now
            #expect(registrar.next(now: wake - 0.001) == nil)
            waits.append(wake.timeIntervalSince(now))
            now = wake
        }
        #expect(waits == [1, 2, 4, 8])
        _ = registrar.next(now: now)
        end(&registrar, status, retryAfter: 100, at: now)
        #expect(registrar.wakeAt(now: now) == now + 100)
        registrar.networkReturned()
        #expect(registrar.next(now: now) != nil)
    }

    @Test func `what the server refuses waits until something changes`() {
        var registrar = registrar()
        _ = registrar.next(now: start)
        end(&registrar, .tokenInvalid)
        #expect(registrar.wakeAt(now: start) == nil && registrar.next(now: start + 1_000_000) == nil)
        registrar.change { $0.token = "cd" }
        #expect(registrar.next(now: start) != nil)
    }

    @Test func `a device that the server has forgotten is a new one`() throws {
        var registrar = registered()
        registrar.change { $0.locale = "es" }
        _ = registrar.next(now: start)
        end(&registrar, .integrationKeyUnknown)
        #expect(registrar.memory.device == spare && !registrar.isRegistered)
        #expect(try request(&registrar).secret == nil)
    }

    @Test func `an id that is another installation's gives way to a new one, and not in a circle`() throws {
        var registrar = registrar()
        registrar.change { $0.tags = ["a"] }
        _ = registrar.next(now: start)
        end(&registrar, .deviceExists)
        #expect(registrar.memory.device == spare && !registrar.isRegistered && registrar.last?.status == .deviceExists)
        let second = try request(&registrar)
        #expect(second.secret == nil && second.body["tags"] != nil)
        end(&registrar, .deviceExists)
        #expect(registrar.next(now: start) == nil && registrar.wakeAt(now: start) == start + 1)
        #expect(registrar.next(now: start + 1) != nil)
        end(&registrar, .registered, secret: "s")
        #expect(registrar.isRegistered)
    }

    @Test func `a badge that is set while another is told is told next`() throws {
        var registrar = registered()
        registrar.badgeWasSet(0)
        #expect(try request(&registrar).body["badge"] == .number(0))
        registrar.badgeWasSet(3)
        end(&registrar, .registered)
        #expect(try request(&registrar).body["badge"] == .number(3))
        end(&registrar, .registered)
        #expect(registrar.next(now: start) == nil)
    }

    @Test func `the server hears of a device every week, whatever changes`() throws {
        var registrar = registered()
        #expect(registrar.wakeAt(now: start) == start + Registrar.refresh)
        #expect(registrar.next(now: start + Registrar.refresh) != nil)
    }
}
