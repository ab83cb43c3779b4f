/// The forms of an audience file (contract, section 3).
public enum AudienceFileFormat: String, Sendable, CaseIterable {
    /// RFC 4180 with a header.
    case csv
    /// One device object a line.
    case ndjson

    /// By the end of a file's name, whatever its case: `.csv`, `.ndjson`; nil for others.
    public init?(fileName: String) {
        let name = fileName.lowercased()
        guard let format = AudienceFileFormat.allCases.first(where: { name.hasSuffix("." + $0.rawValue) }) else {
            return nil
        }
        self = format
    }
}

/// One thing that is wrong with an audience file.
public struct AudienceFileProblem: Hashable, Sendable {
    /// The line, from 1.
    public var line: Int
    /// The column within the line, in bytes from 1.
    public var column: Int
    /// The stable code.
    public var code: ProblemCode
    /// What is wrong, for people; never says a token or a value.
    public var detail: String
    /// How to mend it.
    public var fix: String?

    /// In the form of every answer; the pointer names the line, counted from 0 as JSON pointers count.
    public var problem: Problem {
        let place = "line \(line), column \(column): "
        return Problem(pointer: "/\(max(0, line - 1))", code: code, detail: place + detail, fix: fix)
    }
}

/// What an audience file has come to so far.
public struct AudienceFileReport: Sendable, Equatable {
    /// Devices that were handed out.
    public internal(set) var deviceCount = 0
    /// Lines that were left out because of a problem.
    public internal(set) var refusedCount = 0
    /// The first 100 problems.
    public internal(set) var problems: [AudienceFileProblem] = []
    /// All problems, those that are not listed included.
    public internal(set) var problemCount = 0
    /// What is accepted, but perhaps not what was meant.
    public internal(set) var warnings: [AudienceFileProblem] = []
    /// Set when the file as a whole cannot be used, for example without a header; what follows is not read.
    public internal(set) var isUnusable = false

    /// Nothing yet.
    public init() {}

    /// More are counted, not kept: memory stays bounded whatever the file is.
    static let problemsMax = 100

    mutating func note(
        _ code: ProblemCode,
        line: Int,
        column: Int,
        _ detail: String,
        fix: String? = nil
    ) {
        problemCount += 1
        guard problems.count < AudienceFileReport.problemsMax else { return }
        problems.append(AudienceFileProblem(line: line, column: column, code: code, detail: detail, fix: fix))
    }
}

/// Reads an audience file piece by piece in bounded memory.
///
/// Hand every piece of the file to `read` and call `finish` once at the end. Lines with problems are left out and
/// reported; whether the rest is used is the caller's decision. A reader whose callback has thrown is not to be used
/// again.
public struct AudienceFileReader {
    private var reader: DeviceFileReader

    /// Longer lines are refused, so that a missing quote cannot fill the memory.
    public static let lineBytesMax = 65_536

    /// A reader for a file of that form.
    public init(_ format: AudienceFileFormat, tokens: TokenForms) {
        reader = DeviceFileReader(format, .audience, tokens: tokens)
    }

    /// What was read so far.
    public var report: AudienceFileReport { reader.report }

    /// Reads the next piece; calls `each` with every device in it and the line on which it begins.
    public mutating func read(
        _ piece: UnsafeRawBufferPointer,
        each: (Device, _ line: Int) throws -> Void
    ) rethrows {
        try reader.read(piece) { try each($0.device, $1) }
    }

    /// Reads the next piece.
    public mutating func read(_ piece: [UInt8], each: (Device, _ line: Int) throws -> Void) rethrows {
        try piece.withUnsafeBytes { try read($0, each: each) }
    }

    /// Reads what is left at the end of the file: a last line without its end.
    public mutating func finish(each: (Device, _ line: Int) throws -> Void) rethrows {
        try reader.finish { try each($0.device, $1) }
    }
}
