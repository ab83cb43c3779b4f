import FoundationEssentials
import SwiftProtobuf

/// Devices in columns, as stored in a list's chunk and carried by a shard.
///
/// Tokens are raw bytes: the bytes of the hexadecimal digits (APNs), or the token's own characters.
public struct DeviceBatch: Equatable, Sendable {
    /// The number of devices, at most 500.
    public private(set) var count: Int
    /// All tokens, concatenated.
    public private(set) var tokens: [UInt8]
    /// The offset at which each token ends in `tokens`; empty if all have `tokenLength` bytes.
    private var tokenEnds: [UInt32]
    /// The length of each token in bytes; 0 if they differ.
    private var tokenLength: Int
    /// The values for the templates, a column per name, sorted by name.
    public private(set) var variables: [VariableColumn]
    /// The approximate size of `variables` in a message.
    private var variableBytes: Int

    /// The values of a variable; nil for a device without it.
    public struct VariableColumn: Equatable, Sendable {
        /// The variable's name.
        public let name: String
        /// All values, concatenated.
        public private(set) var bytes: [UInt8] = []
        /// The length of each device's value in bytes; `absent` for none.
        private var byteCounts: [UInt32]

        private static let absent = UInt32.max

        /// Creates a column without values.
        init(name: String, count: Int) {
            self.name = name
            byteCounts = Array(repeating: Self.absent, count: count)
        }

        /// Reads a column from a message; nil if the lengths do not fit the values.
        init?(name: String, bytes: [UInt8], lengths: [UInt16]) {
            self.name = name
            self.bytes = bytes
            byteCounts = lengths.map { $0 == LittleEndian16.absent ? Self.absent : UInt32($0) }
            guard byteCounts.reduce(0, { $0 + ($1 == Self.absent ? 0 : Int($1)) }) == bytes.count else { return nil }
        }

        /// Returns the length of a device's value in bytes; nil for a device without it.
        public func byteCount(at position: Int) -> Int? {
            let count = byteCounts[position]
            return count == Self.absent ? nil : Int(count)
        }

        /// The values, one per device.
        public var values: [[UInt8]?] {
            var start = 0
            return byteCounts.map { count in
                guard count != Self.absent else { return nil }
                start += Int(count)
                return Array(bytes[start - Int(count)..<start])
            }
        }

        /// The length of the longest value in bytes; nil if no device has one.
        public var longest: Int? { byteCounts.lazy.filter { $0 != Self.absent }.max().map { Int($0) } }

        mutating func append(_ value: (some Collection<UInt8>)?) {
            byteCounts.append(value.map { UInt32($0.count) } ?? Self.absent)
            if let value { bytes.append(contentsOf: value) }
        }

        func subset(_ positions: [UInt16]) -> VariableColumn {
            var result = VariableColumn(name: name, count: 0)
            let values = values
            for position in positions { result.append(values[Int(position)]) }
            return result
        }

        /// Returns the lengths in a message's form.
        func lengths() throws(ShardError) -> [UInt8] {
            var lengths: [UInt16] = []
            lengths.reserveCapacity(byteCounts.count)
            for count in byteCounts {
                lengths.append(count == Self.absent ? LittleEndian16.absent : try DeviceBatch.length(Int(count)))
            }
            return LittleEndian16.bytes(lengths)
        }

        /// The approximate size of the column in a message.
        var messageBytes: Int { name.utf8.count + bytes.count + 2 * byteCounts.count }
    }

    /// Creates an empty batch.
    public init() {
        count = 0
        tokens = []
        tokenEnds = []
        tokenLength = 0
        variables = []
        variableBytes = 0
    }

    /// Returns the range of a device's token in `tokens`.
    ///
    /// Traps if the position is out of range.
    public func tokenRange(at position: Int) -> Range<Int> {
        precondition(position >= 0 && position < count, "device \(position) of \(count)")
        if tokenLength > 0 { return position * tokenLength..<(position + 1) * tokenLength }
        let start = position == 0 ? 0 : Int(tokenEnds[position - 1])
        return start..<Int(tokenEnds[position])
    }

    /// The approximate size of the batch in a message.
    public var byteCount: Int {
        tokens.count + tokenEnds.count * 2 + variableBytes
    }

    /// Appends a device.
    ///
    /// A token or value of 65,535 bytes or more can be added, but not encoded.
    public mutating func append(token: some Collection<UInt8>, variables named: [String: String] = [:]) {
        appendToken(token)
        for name in named.keys where !variables.contains(where: { $0.name == name }) {
            let column = VariableColumn(name: name, count: count - 1)
            let index = variables.firstIndex { $0.name > name } ?? variables.endIndex
            variables.insert(column, at: index)
            variableBytes += name.utf8.count + 2 * (count - 1)
        }
        for index in variables.indices {
            let value = named[variables[index].name]?.utf8
            variableBytes += 2 + (value?.count ?? 0)
            variables[index].append(value)
        }
    }

    /// Sets a variable for all devices, one value each and nil for none; replaces a column of that name.
    public mutating func set(_ name: String, _ values: [[UInt8]?]) {
        precondition(values.count == count, "\(values.count) values for \(count) devices")
        var column = VariableColumn(name: name, count: 0)
        for value in values { column.append(value) }
        variables.removeAll { $0.name == name }
        variables.insert(column, at: variables.firstIndex { $0.name > name } ?? variables.endIndex)
        variableBytes = Self.byteCount(of: variables)
    }

    private static func byteCount(of variables: [VariableColumn]) -> Int {
        variables.reduce(0) { $0 + $1.messageBytes }
    }

    private mutating func appendToken(_ token: some Collection<UInt8>) {
        let length = token.count
        if count == 0 {
            tokenLength = length
        } else if tokenLength > 0 && tokenLength != length {
            tokenEnds = (1...count).map { UInt32($0 * tokenLength) }
            tokenLength = 0
        }
        tokens.append(contentsOf: token)
        if tokenLength == 0 { tokenEnds.append(UInt32(tokens.count)) }
        count += 1
    }

    /// Returns the devices at the given positions, in that order.
    public func subset(_ positions: [UInt16]) -> DeviceBatch {
        var result = DeviceBatch()
        for position in positions { result.appendToken(tokens[tokenRange(at: Int(position))]) }
        result.variables = variables.map { $0.subset(positions) }
        result.variableBytes = Self.byteCount(of: result.variables)
        return result
    }

    /// Returns the batch without its variables, for shards whose content uses none.
    public func withoutVariables() -> DeviceBatch {
        var result = self
        result.variables = []
        result.variableBytes = 0
        return result
    }
}

extension DeviceBatch {
    /// Returns the encoded columns; the same batch gives the same bytes.
    ///
    /// Throws `ShardError.malformed` for a token or a value of 65,535 bytes or more, which cannot be represented.
    public func encoded() throws(ShardError) -> [UInt8] {
        var message = Fanfare_V1_DeviceColumns()
        message.count = UInt32(count)
        message.tokenLength = UInt32(tokenLength)
        message.tokens = Data(tokens)
        if tokenLength == 0 {
            var lengths: [UInt16] = []
            for position in 0..<count { lengths.append(try Self.length(tokenRange(at: position).count)) }
            message.tokenLengths = Data(LittleEndian16.bytes(lengths))
        }
        for column in variables { message.variables.append(try Self.encoded(column)) }
        return try ShardError.unwrap { try message.serializedBytes() as [UInt8] }
    }

    private static func encoded(_ column: VariableColumn) throws(ShardError) -> Fanfare_V1_Column {
        var encoded = Fanfare_V1_Column()
        encoded.name = column.name
        encoded.values = Data(column.bytes)
        encoded.lengths = Data(try column.lengths())
        return encoded
    }

    fileprivate static func length(_ count: Int) throws(ShardError) -> UInt16 {
        guard count < Int(LittleEndian16.absent) else { throw .malformed("\(count) bytes in one field of a device") }
        return UInt16(count)
    }

    /// Decodes columns; checks every length against the data.
    public init(encoded bytes: [UInt8]) throws(ShardError) {
        let message = try ShardError.unwrap { try Fanfare_V1_DeviceColumns(serializedBytes: bytes) }
        try self.init(message)
    }

    private init(_ message: Fanfare_V1_DeviceColumns) throws(ShardError) {
        count = Int(message.count)
        guard count <= Shard.devicesMax else { throw .malformed("\(count) devices in one batch") }
        tokens = [UInt8](message.tokens)
        tokenLength = Int(message.tokenLength)
        tokenEnds = []
        variables = []
        variableBytes = 0
        if tokenLength > 0 {
            guard tokens.count == count * tokenLength else { throw .malformed("token column does not fit its count") }
        } else {
            tokenEnds = try Self.ends(message, count: count, byteCount: tokens.count)
        }
        for column in message.variables {
            if let last = variables.last, last.name >= column.name {
                throw .malformed("variable columns are not in order")
            }
            variables.append(try Self.variable(column, count: count))
        }
        variableBytes = Self.byteCount(of: variables)
    }

    private static func ends(
        _ message: Fanfare_V1_DeviceColumns,
        count: Int,
        byteCount: Int
    ) throws(ShardError) -> [UInt32] {
        let lengths = try LittleEndian16.values([UInt8](message.tokenLengths))
        guard lengths.count == count else { throw .malformed("token lengths do not fit the count") }
        var end: UInt32 = 0
        var ends: [UInt32] = []
        for length in lengths {
            guard length > 0 else { throw .malformed("an empty token") }
            end += UInt32(length)
            ends.append(end)
        }
        guard Int(end) == byteCount else { throw .malformed("token lengths do not fit the token column") }
        return ends
    }

    private static func variable(_ column: Fanfare_V1_Column, count: Int) throws(ShardError) -> VariableColumn {
        let lengths = try LittleEndian16.values([UInt8](column.lengths))
        guard lengths.count == count else { throw .malformed("variable column does not fit its count") }
        guard let result = VariableColumn(name: column.name, bytes: [UInt8](column.values), lengths: lengths) else {
            throw .malformed("variable column does not fit its lengths")
        }
        return result
    }
}
