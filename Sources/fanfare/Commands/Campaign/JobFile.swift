import Campaigns
import Operations
import PushProviders

/// A job in a file, with the position of everything in it.
struct JobFile {
    /// One byte more than a job may have, to recognize one that is too large.
    private static let bytesMax = JSONReader.Limits().bytesMax + 1

    let name: String
    let bytes: [UInt8]
    private let reading: JSONReading

    /// Reads a file, or standard input for `-`.
    init(_ path: String) throws {
        do {
            let input = try InputFile(path: path)
            name = input.name
            bytes = try input.readAll(upTo: Self.bytesMax)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
        reading = JSONReader.read(bytes)
    }

    /// True if the job names its audience itself.
    var hasAudience: Bool { reading.value?["audience"] != nil }

    /// Returns the job as intake will decode it; throws all its problems.
    ///
    /// A job without an audience gets `list` (`name@version`); a text that is not JSON is reported as such.
    func decode(list: String?, at now: Timestamp) throws -> (job: Job, body: [UInt8], warnings: [Problem]) {
        let (envelope, body) = (envelope(now), body(list: list))
        let decoding = JobDecoder.decode(body, envelope: envelope)
        guard let job = decoding.job else {
            // With a list to come, a missing audience is no problem; a broken text could not be given one.
            let problems = decoding.problems.filter { problem in
                list == nil || problem.pointer != "/audience" || problem.code != ProblemCode.required.rawValue
            }
            throw refusal(problems, campaign: decoding.id, warnings: decoding.warnings)
        }
        return (job, body, decoding.warnings)
    }

    /// Returns the bytes to publish: the file's own, or the job with its audience.
    private func body(list: String?) -> [UInt8] {
        guard let list, reading.problems.isEmpty, let value = reading.value?.addingAudience(list: list) else {
            return bytes
        }
        return JSONWriter.bytes(value)
    }

    private func envelope(_ now: Timestamp) -> JobEnvelope {
        JobEnvelope(
            contentType: "application/json",
            type: JobDecoder.messageType,
            timestampSeconds: now.seconds,
            now: now,
            tokens: ProviderRegistry.tokens
        )
    }

    /// Makes the failure with exit 65 and all problems, each with its position in the file.
    func refusal(_ problems: [Problem], campaign: String?, warnings: [Problem] = []) -> CommandFailure {
        CommandFailure(
            ProblemDocument(
                .invalidJob,
                title: "The job cannot be sent",
                campaign: campaign,
                errors: problems,
                warnings: warnings
            ),
            lines: lines(problems)
        )
    }

    /// Returns lines such as `derby.json:12:5: /delivery/expire_at: …`; a missing member has its parent's position.
    func lines(_ problems: [Problem]) -> [String] {
        let pointers = problems.flatMap { Self.upwards($0.pointer) }
        let positions = JSONReader.positions(of: Set(pointers), in: bytes)
        return problems.map { problem in
            if let broken = reading.problems.first(where: { $0.problem == problem }) {
                let bare = Problem(
                    pointer: problem.pointer,
                    code: problem.code,
                    detail: broken.detail,
                    fix: problem.fix
                )
                return location(broken.position) + bare.text
            }
            let position = Self.upwards(problem.pointer).lazy.compactMap { positions[$0] }.first
            return (position.map(location) ?? "\(name): ") + problem.text
        }
    }

    private func location(_ position: JSONPosition) -> String { "\(name):\(position.line):\(position.column): " }

    /// Returns a pointer and those of everything around it, the innermost first.
    private static func upwards(_ pointer: String) -> [String] {
        var pointers = [pointer]
        var rest = Substring(pointer)
        while let slash = rest.lastIndex(of: "/") {
            rest = rest[..<slash]
            pointers.append(String(rest))
        }
        return pointers
    }
}
