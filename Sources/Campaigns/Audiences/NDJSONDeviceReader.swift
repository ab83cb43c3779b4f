/// Reads devices from NDJSON: one object per line, in the form of a job's device or of the registry's.
struct NDJSONDeviceReader {
    private let fields: DeviceFileFields
    private let tokens: TokenForms
    private(set) var report = AudienceFileReport()
    private var line = 1
    /// The beginning of a line whose end has not arrived yet.
    private var partial: [UInt8] = []
    private var isSkipping = false
    private let log = ProblemLog()

    /// The limits of a line; a device's variables are the only objects within it.
    private static let limits = JSONReader.Limits(bytesMax: AudienceFileReader.lineBytesMax, depthMax: 3)

    init(_ fields: DeviceFileFields, _ tokens: TokenForms) {
        self.fields = fields
        self.tokens = tokens
    }

    mutating func read(_ piece: UnsafeBufferPointer<UInt8>, _ each: (DeviceRegistration, Int) throws -> Void) rethrows {
        var offset = 0
        while offset < piece.count {
            var end = offset
            while end < piece.count, piece[end] != 0x0A { end += 1 }
            let part = UnsafeBufferPointer(rebasing: piece[offset..<end])
            if end == piece.count {
                keep(part)
                return
            }
            if partial.isEmpty, !isSkipping {
                try device(part, each)
            } else {
                keep(part)
                try endPartial(each)
            }
            line += 1
            offset = end + 1
        }
    }

    mutating func finish(_ each: (DeviceRegistration, Int) throws -> Void) rethrows {
        if !partial.isEmpty || isSkipping { try endPartial(each) }
        if report.deviceCount == 0, report.problemCount == 0 {
            report.note(.empty, line: 1, column: 1, "the file is empty", fix: "give one device object per line")
            report.isUnusable = true
        }
    }

    private mutating func keep(_ part: UnsafeBufferPointer<UInt8>) {
        if partial.count + part.count > AudienceFileReader.lineBytesMax {
            isSkipping = true
            partial.removeAll(keepingCapacity: true)
        }
        if !isSkipping { partial.append(contentsOf: part) }
    }

    private mutating func endPartial(_ each: (DeviceRegistration, Int) throws -> Void) rethrows {
        if isSkipping {
            noteTooLong()
        } else {
            let bytes = partial
            try bytes.withUnsafeBufferPointer { try device($0, each) }
        }
        isSkipping = false
        partial.removeAll(keepingCapacity: true)
    }

    private mutating func noteTooLong() {
        let detail = "the line has more than \(AudienceFileReader.lineBytesMax) bytes"
        report.note(.tooLarge, line: line, column: 1, detail, fix: "put one device object on each line")
        report.refusedCount += 1
    }

    private mutating func device(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ each: (DeviceRegistration, Int) throws -> Void
    ) rethrows {
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return }
        if bytes.count > AudienceFileReader.lineBytesMax { return noteTooLong() }
        let reading = JSONReader.read(bytes, limits: NDJSONDeviceReader.limits)
        if let value = reading.value, reading.problems.isEmpty {
            log.clear()
            if let device = decode(value), log.isEmpty {
                report.deviceCount += 1
                return try each(device, line)
            }
            note(log.problems, bytes)
        } else {
            for problem in reading.problems {
                let column = problem.position.column
                report.note(problem.code, line: line, column: column, problem.detail, fix: problem.fix)
            }
        }
        report.refusedCount += 1
    }

    private func decode(_ value: JSONValue) -> DeviceRegistration? {
        switch fields {
        case .audience: DeviceDecoder.device(value, at: .root, tokens, log).map { DeviceRegistration(device: $0) }
        case .registry: DeviceDecoder.registration(value, at: .root, tokens, log)
        }
    }

    /// Finds the columns of the problems' pointers, unless the report is full and would not keep them.
    private mutating func note(_ problems: [Problem], _ bytes: UnsafeBufferPointer<UInt8>) {
        let isKept = report.problems.count < AudienceFileReport.problemsMax
        let locations = isKept ? JSONReader.positions(of: Set(problems.map(\.pointer)), in: Array(bytes)) : [:]
        for problem in problems {
            report.note(
                ProblemCode(rawValue: problem.code) ?? .format,
                line: line,
                column: locations[problem.pointer]?.column ?? 1,
                problem.detail,
                fix: problem.fix
            )
        }
    }
}
