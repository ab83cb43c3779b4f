/// The events that the edge has received, on their way to the ledger: the body of a message in `fanfare.v1.tracking`.
///
/// Version 1, with all numbers as LEB128: `FTRK`, the version, the number of apps and their names, the number of
/// entries. Then for each entry its kind (0 event, 1 answers), the app's index, campaign, device index, registry
/// number, milliseconds since 1970 and its details. Texts are preceded by their lengths. The same batch always gives
/// the same bytes.
public struct TrackingBatch: Hashable, Sendable {
    /// The maximum number of entries in a batch.
    public static let entriesMax = 4096
    /// The maximum size of a batch, in bytes.
    public static let bytesMax = 1 << 20
    /// The AMQP `type` of its messages.
    public static let messageType = "fanfare.tracking.v1"
    private static let magic = Array("FTRK".utf8)
    private static let version: UInt8 = 1

    /// An event or the answers from a phone.
    public enum Entry: Hashable, Sendable {
        case event(TrackingEvent)
        case answers(PollAnswers)

        /// The device.
        public var device: TrackedDevice {
            switch self {
            case .event(let event): event.device
            case .answers(let answers): answers.device
            }
        }

        /// The maximum number of bytes that it takes in a batch, without its app's name.
        public var bytesMost: Int {
            switch self {
            case .event(let event): 48 + event.detail.utf8.count
            case .answers(let answers):
                answers.answers.reduce(48) { sum, answer in
                    answer.choices.reduce(sum + 20 + answer.question.utf8.count) { $0 + 10 + $1.utf8.count }
                }
            }
        }

        /// The instant.
        public var at: Timestamp {
            switch self {
            case .event(let event): event.at
            case .answers(let answers): answers.at
            }
        }
    }

    /// The reason why bytes are not a batch.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The bytes are from a later version of Fanfare.
        case unknownVersion(UInt8)
        /// The bytes are truncated, too long, or something else.
        case malformed(String)

        /// The problem in words for people.
        public var description: String {
            switch self {
            case .unknownVersion(let version): "tracking batch of unknown version \(version)"
            case .malformed(let detail): "not a tracking batch: \(detail)"
            }
        }

        /// The reason under which the message is parked.
        public var reason: String {
            switch self {
            case .unknownVersion: "UnknownVersion"
            case .malformed: "MalformedTracking"
            }
        }
    }

    /// The entries, in order of arrival.
    public var entries: [Entry]

    /// Creates a batch.
    public init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// Returns the batch as bytes.
    public func encoded() -> [UInt8] {
        var apps: [String] = []
        var appIndexes: [String: UInt64] = [:]
        for entry in entries where appIndexes[entry.device.app] == nil {
            appIndexes[entry.device.app] = UInt64(apps.count)
            apps.append(entry.device.app)
        }
        var writer = PackedWriter()
        writer.bytes.reserveCapacity(16 + entries.count * 32)
        writer.bytes += Self.magic
        writer.bytes.append(Self.version)
        writer.number(UInt64(apps.count))
        for app in apps { writer.text(app) }
        writer.number(UInt64(entries.count))
        for entry in entries {
            let device = entry.device
            switch entry {
            case .event: writer.bytes.append(0)
            case .answers: writer.bytes.append(1)
            }
            writer.number(appIndexes[device.app] ?? 0)
            writer.number(UInt64(device.campaign))
            writer.number(UInt64(device.index))
            writer.number(UInt64(bitPattern: device.registered))
            writer.number(UInt64(bitPattern: entry.at.milliseconds))
            switch entry {
            case .event(let event):
                writer.bytes.append(event.type.rawValue)
                writer.bytes.append(event.surface.rawValue)
                writer.text(event.detail)
            case .answers(let answers):
                writer.number(UInt64(answers.answers.count))
                for answer in answers.answers {
                    writer.text(answer.question)
                    writer.number(UInt64(answer.choices.count))
                    for choice in answer.choices { writer.text(choice) }
                }
            }
        }
        return writer.bytes
    }

    /// Decodes a batch; for any bytes it takes linear time and memory.
    public init(encoded bytes: [UInt8]) throws(Failure) {
        guard bytes.count <= Self.bytesMax else { throw .malformed("more than \(Self.bytesMax) bytes") }
        var reader = BatchReader(bytes)
        guard bytes.starts(with: Self.magic), bytes.count > Self.magic.count else {
            throw .malformed("it does not begin as one")
        }
        reader.offset = Self.magic.count
        let version = try reader.byte()
        guard version == Self.version else { throw .unknownVersion(version) }
        var apps: [String] = []
        for _ in 0..<(try reader.count(upTo: Self.entriesMax)) { apps.append(try reader.text(upTo: 128)) }
        entries = []
        let count = try reader.count(upTo: Self.entriesMax)
        entries.reserveCapacity(count)
        for _ in 0..<count { entries.append(try Self.entry(&reader, apps)) }
        guard reader.isAtEnd else { throw .malformed("something follows after the last entry") }
    }

    private static func entry(_ reader: inout BatchReader, _ apps: [String]) throws(Failure) -> Entry {
        let kind = try reader.byte()
        let appIndex = try reader.count(upTo: entriesMax)
        guard appIndex < apps.count else { throw .malformed("an app that is not named") }
        guard let campaign = UInt32(exactly: try reader.number()), let index = UInt32(exactly: try reader.number())
        else { throw .malformed("a number of more than 32 bits") }
        let device = TrackedDevice(
            app: apps[appIndex],
            campaign: campaign,
            index: index,
            registered: Int64(bitPattern: try reader.number())
        )
        let at = Timestamp(milliseconds: Int64(bitPattern: try reader.number()))
        switch kind {
        case 0:
            guard let type = TrackedType(rawValue: try reader.byte()),
                let surface = TrackedSurface(rawValue: try reader.byte())
            else { throw .malformed("an unknown type or surface") }
            let detail = try reader.text(upTo: TrackingEvent.detailBytesMax)
            return .event(TrackingEvent(device: device, type: type, surface: surface, detail: detail, at: at))
        case 1:
            var answers: [PollAnswers.Choice] = []
            for _ in 0..<(try reader.count(upTo: PollAnswersRequest.answersMax)) {
                var answer = PollAnswers.Choice(question: try reader.text(upTo: 128), choices: [])
                for _ in 0..<(try reader.count(upTo: PollAnswersRequest.choicesMax)) {
                    answer.choices.append(try reader.text(upTo: PollAnswersRequest.bytesMax))
                }
                answers.append(answer)
            }
            return .answers(PollAnswers(device: device, answers: answers, at: at))
        default: throw .malformed("an unknown kind of entry")
        }
    }
}

private struct BatchReader {
    let bytes: [UInt8]
    var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func byte() throws(TrackingBatch.Failure) -> UInt8 {
        guard offset < bytes.count else { throw .malformed("it is cut off") }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func number() throws(TrackingBatch.Failure) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 70, by: 7) {
            let next = try byte()
            guard shift < 63 || next <= 1 else { throw .malformed("a number of more than 64 bits") }
            value |= UInt64(next & 0x7F) << UInt64(shift)
            if next & 0x80 == 0 { return value }
        }
        throw .malformed("a number of more than 64 bits")
    }

    mutating func count(upTo most: Int) throws(TrackingBatch.Failure) -> Int {
        let value = try number()
        guard value <= UInt64(most) else { throw .malformed("more than \(most) of something") }
        return Int(value)
    }

    mutating func text(upTo most: Int) throws(TrackingBatch.Failure) -> String {
        let length = try count(upTo: most)
        guard length <= bytes.count - offset else { throw .malformed("it is cut off") }
        defer { offset += length }
        guard let text = String(validating: bytes[offset..<offset + length], as: UTF8.self) else {
            throw .malformed("a text that is not UTF-8")
        }
        // Databases do not support NUL.
        guard !text.utf8.contains(0) else { throw .malformed("a text with a NUL character") }
        return text
    }
}
