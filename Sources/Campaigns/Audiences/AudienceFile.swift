/// The forms of an audience file (contract, section 3).
public enum AudienceFileFormat: String, Sendable, CaseIterable {
    /// RFC 4180 with a header.
    case csv
    /// One device object per line.
    case ndjson

    /// Reads the format from the ending of a file's name, whatever its case: `.csv`, `.ndjson`; nil for other endings.
    public init?(fileName: String) {
        let name = fileName.lowercased()
        guard let format = AudienceFileFormat.allCases.first(where: { name.hasSuffix("." + $0.rawValue) }) else {
            return nil
        }
        self = format
    }
}

/// A problem in an audience file.
public struct AudienceFileProblem: Hashable, Sendable {
    /// The line, from 1.
    public var line: Int
    /// The column within the line, in bytes from 1.
    public var column: Int
    /// The stable code.
    public var code: ProblemCode
    /// The problem in words for people; never contains a token or a value.
    public var detail: String
    /// The way to fix it.
    public var fix: String?

    /// The problem in the form of every answer; the pointer names the line, counted from 0 as JSON pointers count.
    public var problem: Problem {
        let location = "line \(line), column \(column): "
        return Problem(pointer: "/\(max(0, line - 1))", code: code, detail: location + detail, fix: fix)
    }
}

/// The result of reading an audience file so far.
public struct AudienceFileReport: Sendable, Equatable {
    /// The number of devices handed out.
    public internal(set) var deviceCount = 0
    /// The number of lines left out because of a problem.
    public internal(set) var refusedCount = 0
    /// The first 100 problems.
    public internal(set) var problems: [AudienceFileProblem] = []
    /// The number of all problems, listed or not.
    public internal(set) var problemCount = 0
    /// Input that is accepted, but is perhaps not what the author meant.
    public internal(set) var warnings: [AudienceFileProblem] = []
    /// True if the file as a whole cannot be used, for example without a header; the rest of it is not read.
    public internal(set) var isUnusable = false

    /// Creates an empty report.
    public init() {}

    /// The number of problems that are kept; further ones are only counted, so that memory stays bounded for any file.
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
/// Pass every piece of the file to `read` and call `finish` once at the end. Lines with problems are left out and
/// reported; the caller decides if the rest is used. Do not use a reader again after its callback has thrown.
public struct AudienceFileReader {
    private var reader: DeviceFileReader

    /// The maximum length of a line, in bytes, so that a missing quote cannot fill the memory.
    public static let lineBytesMax = 65_536

    /// Creates a reader for a file of that format.
    public init(_ format: AudienceFileFormat, tokens: TokenForms) {
        reader = DeviceFileReader(format, .audience, tokens: tokens)
    }

    /// The result so far.
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

    /// Reads a last line that has no line end.
    public mutating func finish(each: (Device, _ line: Int) throws -> Void) rethrows {
        try reader.finish { try each($0.device, $1) }
    }
}
