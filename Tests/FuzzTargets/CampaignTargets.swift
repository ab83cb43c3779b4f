import Campaigns
import PushProviders

extension FuzzTarget {
    /// Decodes a job: it is refused with a reason, or can be stored, read again and compiled.
    static func jobDecoder(_ input: [UInt8]) {
        let now = Timestamp(milliseconds: 1_795_204_500_000)
        let decoding = JobDecoder.decode(
            input,
            envelope: JobEnvelope(
                routingKey: "news",
                messageID: "m",
                // No JSON begins with a zero, and every section of AMQP 1.0 does.
                type: input.first == 0 ? "amqp-1.0" : nil,
                now: now,
                tokens: ProviderRegistry.tokens
            )
        )
        guard let job = decoding.job else {
            precondition(!decoding.problems.isEmpty, "refused without a reason")
            for problem in decoding.problems { _ = problem.text }
            return
        }
        precondition(decoding.problems.isEmpty, "a job with problems")
        let canonical = job.canonicalJSON()
        precondition(JSONReader.read(canonical).value != nil, "the stored job is no JSON")
        precondition(job.canonicalJSON() == canonical, "two forms of one job")
        for provider in ProviderRegistry.providers {
            _ = provider.check(job, carriesMessageID: true)
            _ = provider.compile(job, carriesMessageID: false)
        }
    }

    /// Decodes a shard: it is an error, or the codec reproduces it.
    static func shardCodec(_ input: [UInt8]) {
        do throws(ShardError) {
            let shard = try Shard(encoded: input)
            precondition(shard.devices.count > 0, "a shard without a device")
            for position in 0..<shard.devices.count {
                _ = shard.devices.tokenRange(at: position)
                _ = shard.deviceIndex(at: position)
            }
            let again = try shard.encoded()
            let copy = try Shard(encoded: again)
            let bytes = try copy.encoded()
            precondition(copy == shard && bytes == again, "not the same shard")
        } catch {
            precondition(!error.reason.isEmpty && !error.description.isEmpty, "an error without a reason")
        }
    }

    /// Classifies an answer, whatever its status, body and Retry-After are.
    static func providerAnswer(_ input: [UInt8]) {
        guard input.count >= 3 else { return }
        let status = Int(input[0]) << 8 | Int(input[1])
        let body = input.dropFirst(3)
        let cut = body.startIndex + min(Int(input[2]), body.count)
        let (retryAfter, rest) = (Array(body[..<cut]), Array(body[cut...]))
        for provider in ProviderRegistry.providers {
            let answer = provider.classify(
                status: status,
                body: rest.span,
                retryAfter: retryAfter.span,
                now: Timestamp(milliseconds: 1_795_204_500_000)
            )
            _ = provider.rule(for: answer.kind)
            precondition(status != 200 || answer.kind == .accepted, "200 is not accepted")
        }
    }

    /// Parses an expression: it is refused with a position, or its canonical form is read as the same and has the same
    /// meaning.
    ///
    /// Packed traits, which may be anything, follow after a NUL.
    static func segmentParser(_ input: [UInt8]) {
        let cut = input.firstIndex(of: 0) ?? input.count
        let text = String(decoding: input[..<cut], as: UTF8.self)
        do throws(SegmentProblem) {
            let segment = try Segment(text)
            let again = try Segment(segment.text)
            precondition(again == segment && again.text == segment.text, "two spellings of one audience")
            let traits = DeviceTraits(tags: ["a"], attributes: ["b": .text("3.2.1")])
            precondition(segment.matches(traits) == again.matches(traits), "one audience, two answers")
            input[min(cut + 1, input.count)...].withUnsafeBytes { bytes in
                guard let device = PackedTraits(bytes) else { return }
                precondition(segment.matches(device) == again.matches(device), "one audience, two answers")
                _ = device.value
            }
        } catch {
            precondition(error.column >= 1 && error.column <= text.unicodeScalars.count + 1, "no place in the text")
        }
    }

    static func csvReader(_ input: [UInt8]) { read(.csv, input) }

    static func ndjsonReader(_ input: [UInt8]) { read(.ndjson, input) }

    /// Reads a file: devices and problems do not depend on how it is split.
    private static func read(_ format: AudienceFileFormat, _ input: [UInt8]) {
        var (cut, whole) = (
            AudienceFileReader(format, tokens: ProviderRegistry.tokens),
            AudienceFileReader(format, tokens: ProviderRegistry.tokens)
        )
        var (cutDevices, wholeDevices): ([Device], [Device]) = ([], [])
        for piece in pieces(input) { cut.read(Array(piece)) { device, _ in cutDevices.append(device) } }
        cut.finish { device, _ in cutDevices.append(device) }
        whole.read(Array(input.dropFirst())) { device, _ in wholeDevices.append(device) }
        whole.finish { device, _ in wholeDevices.append(device) }
        precondition(cutDevices == wholeDevices, "cut differently, other devices")
        precondition(cut.report == whole.report, "cut differently, another report")
        precondition(whole.report.deviceCount == wholeDevices.count, "devices are not counted")
    }
}
