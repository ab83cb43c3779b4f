import CAllocations
import Campaigns
import PushProviders
import Testing

/// Writing a device's request allocates nothing for any provider, so that a campaign of ten million devices takes no
/// more memory than one of ten.
///
/// It counts malloc and similar calls on the test's own thread. Sealing, which some providers need as well, is
/// encryption and includes reading the device's keys. Neither is tested here, but the plaintext that is sealed is.
@Suite(.enabled(if: c_allocations_are_counted() == 1, "a sanitizer has allocation functions of its own"))
struct AllocationConformanceTests {
    private static let devices = 64

    @Test func `what is allocated is counted, what is not is not`() {
        let count = Self.allocations {
            for _ in 0..<10 { UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 1).deallocate() }
        }
        #expect(count == 10)
        var sum = 0
        let none = Self.allocations { for number in 0..<10 { sum += number } }
        #expect(none == 0 && sum == 45)
    }

    @Test(arguments: Case.all)
    func `writing requests allocates nothing for a device`(_ what: Case) throws {
        let job = Fixtures.job { job in
            job.content.body = "Kick-off in ten minutes"
            guard what.isPersonal else { return }
            job.content.title = "Hi {{ first | default: \"fan\" }}"
            job.content.data = [JSONMember("match", 7), JSONMember("who", "{{ first | upcase }}")]
        }
        let facts = what.specimen.facts(job, carriesMessageID: what.carriesMessageID)
        let requests = try what.specimen.account().requests(for: facts, authorization: [1], now: Fixtures.now)
        let encoder = try Encoder(requests, what.specimen)
        // Everything that is made once is made here.
        encoder.encode()
        #expect(Self.allocations { encoder.encode() } == 0)
        #expect(encoder.written > 0)
    }

    /// The requests of every kind that a provider has.
    struct Case: Sendable, CustomTestStringConvertible {
        let specimen: ProviderSpecimen
        let isPersonal: Bool
        let carriesMessageID: Bool

        var testDescription: String {
            specimen.testDescription + (isPersonal ? ", personal" : "") + (carriesMessageID ? ", with message ids" : "")
        }

        static let all = ProviderSpecimen.all.flatMap { specimen in
            [false, true].flatMap { isPersonal in
                [false, true].map { Case(specimen: specimen, isPersonal: isPersonal, carriesMessageID: $0) }
            }
        }
    }

    private static func allocations(_ body: () -> Void) -> Int {
        let start = c_allocations_of_thread()
        body()
        return Int(c_allocations_of_thread() - start)
    }

    /// A sender's work with the requests of a shard, into its own memory.
    private final class Encoder {
        private let requests: PreparedRequests
        private let renderer: TemplateRenderer?
        private let tokens: UnsafeMutableRawBufferPointer
        private let tokenBytes: Int
        private let room: UnsafeMutableRawBufferPointer
        /// The number of bytes written.
        private(set) var written = 0

        init(_ requests: PreparedRequests, _ specimen: ProviderSpecimen) throws {
            let form = specimen.provider.tokens
            let token = form.bytes(of: try #require(form.token(specimen.token)).text)
            var batch = DeviceBatch()
            for index in 0..<devices {
                batch.append(token: token, variables: index.isMultiple(of: 3) ? [:] : ["first": "Ana \(index)"])
            }
            self.requests = requests
            renderer = requests.personal.flatMap { personal in
                personal.body.map { TemplateRenderer($0, batch, bytesMax: personal.bodyBytesMax) }
            }
            tokenBytes = token.count
            tokens = .allocate(byteCount: batch.tokens.count, alignment: 16)
            tokens.copyBytes(from: batch.tokens)
            room = .allocate(byteCount: 16_384, alignment: 16)
        }

        deinit {
            tokens.deallocate()
            room.deallocate()
        }

        func encode() {
            let tail = requests.tail(tokenBytes: tokenBytes)
            for position in 0..<devices {
                let start = position * tokenBytes
                let token = UnsafeRawBufferPointer(rebasing: tokens[start..<start + tokenBytes])
                let count = requests.template.count + tail
                requests.fill(part(0..<count), token: token, device: UInt32(position))
                written += count
                if let renderer {
                    precondition(renderer.render(position) == nil, "the specimen's device has a push")
                    let body = renderer.bytes.count
                    part(0..<body).copyMemory(from: renderer.bytes)
                    requests.writeTail(part(body..<body + tail), token: token)
                    written += body
                }
                precondition(requests.isAccepted(status: requests.isAccepted(status: 200) ? 200 : 201))
            }
        }

        private func part(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
            UnsafeMutableRawBufferPointer(rebasing: room[range])
        }
    }
}
