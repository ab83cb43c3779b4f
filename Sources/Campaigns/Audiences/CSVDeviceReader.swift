/// Reads devices from CSV with a header.
///
/// A column without a known name is a variable of an audience's device, or an attribute of a registry's.
struct CSVDeviceReader {
    enum Column: Equatable {
        case token, provider, environment, id, locale, timeZone
        case user, tags, permission, appVersion, badge, registeredAt
        case variable(String)
        case attribute(String)
    }

    private static let columnsMax = 256

    private let fields: DeviceFileFields
    private let tokens: TokenForms
    /// The token form of lines that name no provider.
    private let standardForm: (any TokenForm)?
    private(set) var report = AudienceFileReport()
    private var scanner = CSVRecordScanner()
    private var columns: [Column] = []
    /// The index of the provider's column; nil when the file has none.
    private var providerColumn: Int?
    /// The token form of the last line's provider.
    private var form: (any TokenForm)?
    /// The first bytes of the file, held back until they can be checked for a byte order mark.
    private var head: [UInt8]? = []

    init(_ fields: DeviceFileFields, _ tokens: TokenForms) {
        self.fields = fields
        self.tokens = tokens
        standardForm = tokens[.apns]
    }

    mutating func read(_ piece: UnsafeBufferPointer<UInt8>, _ each: (DeviceRegistration, Int) throws -> Void) rethrows {
        guard var start = head else { return try records(piece, each) }
        start.append(contentsOf: piece)
        guard start.count >= 3 else {
            head = start
            return
        }
        head = nil
        try begin(start, each)
    }

    mutating func finish(_ each: (DeviceRegistration, Int) throws -> Void) rethrows {
        if let start = head {
            head = nil
            try begin(start, each)
        }
        if !report.isUnusable, scanner.finish() { try record(each) }
        if columns.isEmpty, !report.isUnusable {
            refuseFile(.empty, "the file is empty", fix: "begin with a header: token, and any other columns")
        }
        if report.deviceCount == 0, report.problemCount == 0 {
            report.note(
                .empty,
                line: 1,
                column: 1,
                "the file has a header and no device",
                fix: "give one device per line"
            )
        }
    }

    private mutating func begin(_ start: [UInt8], _ each: (DeviceRegistration, Int) throws -> Void) rethrows {
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) || start.prefix(2).contains(0) {
            refuseFile(.encoding, "the file is not UTF-8 (it looks like UTF-16)", fix: "save it as CSV UTF-8")
            return
        }
        // Spreadsheets write a byte order mark in front of UTF-8.
        let skipped = start.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        try start.withUnsafeBufferPointer { bytes in
            try records(UnsafeBufferPointer(rebasing: bytes[skipped...]), each)
        }
    }

    private mutating func records(
        _ piece: UnsafeBufferPointer<UInt8>,
        _ each: (DeviceRegistration, Int) throws -> Void
    ) rethrows {
        var offset = 0
        while offset < piece.count, !report.isUnusable {
            let (taken, isComplete) = scanner.scan(piece, from: offset)
            offset += taken
            if isComplete { try record(each) }
        }
    }

    private mutating func record(_ each: (DeviceRegistration, Int) throws -> Void) rethrows {
        defer { scanner.clear() }
        if scanner.isBlank { return }
        if let (mistake, location) = scanner.mistake {
            note(mistake, at: location)
            report.refusedCount += 1
            // Without its header the rest of the file cannot be understood.
            if columns.isEmpty { report.isUnusable = true }
            return
        }
        if columns.isEmpty { return header() }
        guard let device = device() else {
            report.refusedCount += 1
            return
        }
        report.deviceCount += 1
        try each(device, scanner.start.line)
    }

    // MARK: The header

    private mutating func header() {
        var names: [String] = []
        for field in 0..<scanner.count {
            guard let name = text(field) else {
                return refuseFile(.encoding, "the header is not valid UTF-8", fix: "save the file as CSV UTF-8")
            }
            names.append(name)
        }
        guard names.count <= CSVDeviceReader.columnsMax else {
            return refuseFile(.tooMany, "the header has \(names.count) columns, at most 256 are allowed")
        }
        if names.contains(where: \.isEmpty) {
            return refuseFile(.empty, "a column of the header has no name", fix: "name it, or take it out")
        }
        if Set(names).count < names.count {
            return refuseFile(.duplicateField, "the header has a column twice", fix: "give each column its own name")
        }
        guard names.contains("token") else {
            return refuseFile(.required, "the header has no column token", fix: fix(forHeader: names))
        }
        columns = names.map(fields.column)
        providerColumn = columns.firstIndex(of: .provider)
        for (field, name) in names.enumerated() where fields.names[name] == nil {
            guard let near = Spelling.nearest(to: name, among: fields.misspelt) else { continue }
            report.warnings.append(
                AudienceFileProblem(
                    line: 1,
                    column: scanner.locations[field].column,
                    code: .unusual,
                    detail: "the column \(name.clipped) is taken as \(fields.otherName)",
                    fix: "did you mean \(near)?"
                )
            )
        }
    }

    private func fix(forHeader names: [String]) -> String {
        if names.count == 1, names[0].contains(";") || names[0].contains("\t") { return "separate columns with commas" }
        if let near = names.first(where: { Spelling.nearest(to: $0, among: ["token", "device_token"]) != nil }) {
            return "call the column \(near.clipped) token"
        }
        if names.contains(where: { !tokens.readings(of: $0).isEmpty }) {
            return "put a line with the columns' names first"
        }
        return "name the column with the tokens: token"
    }

    private mutating func refuseFile(_ code: ProblemCode, _ detail: String, fix: String? = nil) {
        report.note(code, line: 1, column: 1, detail, fix: fix)
        report.isUnusable = true
    }

    private mutating func note(_ mistake: CSVRecordScanner.Mistake, at location: CSVRecordScanner.Location) {
        let (code, detail, fix): (ProblemCode, String, String)
        switch mistake {
        case .strayQuote:
            (code, detail) = (.syntax, "a quote is within a field, or text follows a closing quote")
            fix = "put the whole field into quotes and double the quotes in it"
        case .tooLong:
            (code, detail) = (.tooLarge, "the line has more than \(AudienceFileReader.lineBytesMax) bytes")
            fix = "look for a quote that is not closed"
        case .tooManyFields:
            (code, detail) = (.tooMany, "the line has more than \(CSVRecordScanner.fieldsMax) fields")
            fix = "give it as many as the header has"
        case .unclosedQuote:
            (code, detail) = (.syntax, "a quoted field is not closed before the end of the file")
            fix = "close it with a quote"
        }
        report.note(code, line: location.line, column: location.column, detail, fix: fix)
    }

    // MARK: A device

    /// Returns nil if the bytes are not UTF-8 or are unsafe to compare (``StreamSafeText``).
    private func text(_ field: Int) -> String? {
        let range = scanner.range(field)
        let text = scanner.bytes.withUnsafeBufferPointer { String(validating: $0[range], as: UTF8.self) }
        guard let text, text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        return StreamSafeText.holds(text) ? text : nil
    }

    /// Returns nil, and notes a problem, if the record is not a device.
    private mutating func device() -> DeviceRegistration? {
        guard scanner.count == columns.count else {
            let start = scanner.start
            let detail = "the line has \(scanner.count) fields, the header has \(columns.count)"
            report.note(.syntax, line: start.line, column: start.column, detail)
            return nil
        }
        let before = report.problemCount
        form = lineForm()
        var registration = DeviceRegistration(device: Device(token: "", provider: form?.provider ?? .apns))
        var variableBytes = 0
        for field in 0..<columns.count {
            let range = scanner.range(field)
            // An empty cell means no value, except in the token's column, where a value is required.
            if range.isEmpty, columns[field] != .token { continue }
            if case .variable(let name) = columns[field] { variableBytes += name.utf8.count + range.count }
            read(field, range, into: &registration)
        }
        if variableBytes > DeviceDecoder.variablesBytesMax {
            let start = scanner.start
            let detail = "the device's variables have \(variableBytes) bytes, at most 4096 are allowed"
            report.note(.tooLarge, line: start.line, column: start.column, detail)
        }
        return report.problemCount == before ? registration : nil
    }

    private mutating func read(_ field: Int, _ range: Range<Int>, into registration: inout DeviceRegistration) {
        switch columns[field] {
        case .token: readToken(field, range, into: &registration.device)
        case .provider: break
        case .environment: registration.device.environment = environment(field, range)
        case .id:
            registration.device.id = value(field, "an id has at most 256 bytes") {
                $0.utf8.count <= DeviceDecoder.idBytesMax
            }
        case .locale:
            let rule = "locale must be a BCP 47 tag such as es-ES"
            registration.device.locale = value(field, rule, DeviceRule.isLocale)
        case .timeZone:
            let rule = "time_zone must be an IANA name such as Europe/Madrid"
            registration.device.timeZone = value(field, rule, DeviceRule.isTimeZone)
        case .variable(let name):
            registration.device.variables[name] = value(field, "a variable has no NUL character") { _ in true }
        default: readKnowledge(field, into: &registration)
        }
    }

    /// Reads a column that only registry files have.
    private mutating func readKnowledge(_ field: Int, into registration: inout DeviceRegistration) {
        switch columns[field] {
        case .user:
            let user = value(field, RegistrationRules.user) { RegistrationRules.isUser($0) }
            registration.user = user.map { .user($0) } ?? .unchanged
        case .tags:
            guard let text = value(field, RegistrationRules.tags, { RegistrationRules.tags(cell: $0) != nil }) else {
                return
            }
            registration.tags = .set(RegistrationRules.tags(cell: text) ?? [])
        case .permission:
            let rule = "permission must be authorized, provisional, denied or unknown"
            let word = value(field, rule) { PushPermission(rawValue: $0) != nil }
            registration.permission = word.flatMap { PushPermission(rawValue: $0) }
        case .appVersion:
            let rule = "app_version must be a version such as 3.2.0"
            registration.appVersion = value(field, rule) { RegistrationRules.isAppVersion($0) }
        case .badge:
            let isCount = { (text: String) in Int(text).map { (0...BadgeStep.countMax).contains($0) } ?? false }
            registration.badge = value(field, "badge must be a whole number from 0 to 2147483647", isCount).flatMap {
                Int($0)
            }
        case .registeredAt:
            let rule = "registered_at must be an instant such as 2026-11-20T21:05:00Z"
            let text = value(field, rule) { (try? Timestamp(rfc3339: $0)) != nil }
            registration.registeredAt = text.flatMap { try? Timestamp(rfc3339: $0) }
        case .attribute(let name):
            guard let text = value(field, RegistrationRules.attribute, { _ in true }) else { return }
            registration.attributes[name] = AttributeValue(cell: text)
            guard RegistrationRules.areAttributes(registration.attributes) else {
                let _: String? = refuse(field, .tooLarge, RegistrationRules.attribute)
                return
            }
        default: break
        }
    }

    /// Returns the token form of the line's provider, whose column may come after the token's.
    ///
    /// Returns nil, and notes a problem, if the provider is not built in.
    private mutating func lineForm() -> (any TokenForm)? {
        guard let column = providerColumn else { return standardForm }
        let range = scanner.range(column)
        if range.isEmpty { return standardForm }
        if let form, scanner.bytes[range].elementsEqual(form.provider.rawValue.utf8) { return form }
        let name = text(column) ?? ""
        if let found = tokens[ProviderName(rawValue: name)], found.isOfDevices { return found }
        let names = tokens.names
        let near = Spelling.nearest(to: name, among: names).map { "did you mean \($0)?" }
        let location = scanner.locations[column]
        let detail = "provider must be \(names.joined(separator: " or "))"
        report.note(.value, line: location.line, column: location.column, detail, fix: near)
        return nil
    }

    private mutating func readToken(_ field: Int, _ range: Range<Int>, into device: inout Device) {
        // Without a form the token cannot be judged; the missing provider is already reported.
        guard let form else { return }
        let token = scanner.bytes.withUnsafeBufferPointer { form.token(UnsafeBufferPointer(rebasing: $0[range])) }
        guard let token else {
            let _: String? = refuse(field, .format, form.rule)
            return
        }
        device.token = token.text
        if let environment = token.environment { device.environment = environment }
    }

    private mutating func environment(_ field: Int, _ range: Range<Int>) -> PushEnvironment? {
        guard let form else { return nil }
        guard !form.environments.isEmpty else {
            return refuse(field, .conflict, TokenForms.noEnvironment(form.provider))
        }
        for environment in form.environments
        where scanner.bytes[range].elementsEqual(environment.rawValue.utf8) { return environment }
        let names = form.environments.map(\.rawValue).joined(separator: " or ")
        return refuse(field, .value, "environment must be \(names)")
    }

    private mutating func value(_ field: Int, _ rule: String, _ isValid: (String) -> Bool) -> String? {
        guard let text = text(field) else {
            return refuse(
                field,
                .encoding,
                "the field is not valid UTF-8, or has more than 30 combining marks in a row"
            )
        }
        guard isValid(text), !text.utf8.contains(0) else { return refuse(field, .format, rule) }
        return text
    }

    private mutating func refuse<Value>(_ field: Int, _ code: ProblemCode, _ detail: String) -> Value? {
        let location = scanner.locations[field]
        report.note(code, line: location.line, column: location.column, detail)
        return nil
    }
}
