import Delivery

/// The files of a bundle for support, and what could not be had.
struct SupportBundle {
    /// A file; its name may have a folder.
    struct File {
        let name: String
        let bytes: [UInt8]
    }

    /// The file that says what could not be had.
    static let errorsName = "errors.txt"

    private(set) var files: [File] = []
    /// The parts that could not be had, and why, a line each.
    private(set) var errors: [String] = []
    private let redaction: BundleRedaction

    /// Makes an empty bundle; everything that it takes goes through the redaction.
    init(_ redaction: BundleRedaction) {
        self.redaction = redaction
    }

    /// Takes a file.
    mutating func add(_ name: String, _ bytes: [UInt8]) {
        files.append(File(name: name, bytes: redaction.redacted(bytes)))
    }

    /// Takes a text as a file.
    mutating func add(_ name: String, _ text: String) { add(name, Array((text + "\n").utf8)) }

    /// Notes that a part could not be had.
    mutating func miss(_ part: String, _ reason: String) {
        let line = redaction.redacted("\(part): \(reason)").replacing("\n", with: " ")
        if !errors.contains(line) { errors.append(line) }
    }

    /// All files, with that of the errors.
    var all: [File] {
        let text = errors.isEmpty ? "nothing is missing" : errors.joined(separator: "\n")
        return files + [File(name: Self.errorsName, bytes: Array((text + "\n").utf8))]
    }
}
