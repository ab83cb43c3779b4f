import FoundationEssentials
import SwiftProtobuf

/// Devices as columns: what a list's chunk stores and a shard carries.
///
/// Tokens are raw bytes: what the hexadecimal digits stand for (APNs), or the token's own characters.
public struct DeviceBatch: Equatable, Sendable {
    /// How many devices, at most 500.
    public private(set) var count: Int
    /// All tokens, one after the other.
    public private(set) var tokens: [UInt8]
    /// Where each token ends in `tokens`; empty when all have `tokenLength` bytes.
    private var tokenEnds: [UInt32]
    /// Bytes of each token; 0 when they differ.
    private var tokenLength: Int
    /// The templates' values, a column per name, names in order.
    public private(set) var variables: [VariableColumn]
    /// What `variables` takes in a message, roughly.
    private var variableBytes: Int

    /// The values of one variable; nil for a device without it.
    public struct VariableColumn: Equatable, Sendable {
        /// The variable's name.
        public let name: String
        /// All values, one after the other.
        public private(set) var bytes: [UInt8] = []
        /// Bytes of each device's value; `absent` for none.
        private var byteCounts: [UInt32]

        private static let absent = UInt32.max

        /// A column without a value.
        init(name: String, count: Int) {
            self.name = name
            byteCounts = Array(repeating: Self.absent, count: count)
        }

        /// A column from a message; nil when the lengths do not fit the values.
        init?(name: String, bytes: [UInt8], lengths: [UInt16]) {
            self.name = name
            self.bytes = bytes
            byteCounts = lengths.map { $0 == LittleEndian16.absent ? Self.absent : UInt32($0) }
            guard byteCounts.reduce(0, { $0 + ($1 == Self.absent ? 0 : Int($1)) }) == bytes.count else { return nil }
        }

        /// Bytes of a device's value; nil for a device without it.
        public func byteCount(at position: Int) -> Int? {
            let count = byteCounts[position]
            return count == Self.absent ? nil : Int(count)
        }

        /// One value per device.
        public var values: [[UInt8]?] {
            var start = 0
            return byteCounts.map { count in
                guard count != Self.absent else { return nil }
                start += Int(count)
                return Array(bytes[start - Int(count)..<start])
            }
        }

        /// The longest value's bytes; nil when no device has one.
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

        /// The lengths as a message has them.
        func lengths() throws(ShardError) -> [UInt8] {
            var lengths: [UInt16] = []
            lengths.reserveCapacity(byteCounts.count)
            for count in byteCounts {
                lengths.append(count == Self.absent ? LittleEndian16.absent : try DeviceBatch.length(Int(count)))
            }
            return LittleEndian16.bytes(lengths)
        }

        /// What the column takes in a message, roughly.
        var messageBytes: Int { name.utf8.count + bytes.count + 2 * byteCounts.count }
    }

    /// No device.
    public init() {
        count = 0
        tokens = []
        tokenEnds = []
        tokenLength = 0
        variables = []
        variableBytes = 0
    }

    /// Where a device's token stands in `tokens`.
    ///
    /// Traps when the position is out of range.
    public func tokenRange(at position: Int) -> Range<Int> {
        precondition(position >= 0 && position < count, "device \(position) of \(count)")
        if tokenLength > 0 { return position * tokenLength..<(position + 1) * tokenLength }
        let start = position == 0 ? 0 : Int(tokenEnds[position - 1])
        return start..<Int(tokenEnds[position])
    }

    /// Roughly what the batch takes in a message.
    public var byteCount: Int {
        tokens.count + tokenEnds.count * 2 + variableBytes
    }

    /// Adds a device at the end.
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

    /// Gives all devices a variable, one value each and nil for none; takes the place of one of that name.
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

    /// The devices at some positions, in that order.
    public func subset(_ positions: [UInt16]) -> DeviceBatch {
        var result = DeviceBatch()
        for position in positions { result.appendToken(tokens[tokenRange(at: Int(position))]) }
        result.variables = variables.map { $0.subset(positions) }
        result.variableBytes = Self.byteCount(of: result.variables)
        return result
    }

    /// The batch without its variables: what a shard carries whose content uses none.
    public func withoutVariables() -> DeviceBatch {
        var result = self
        result.variables = []
        result.variableBytes = 0
        return result
    }
}

extension DeviceBatch {
    /// The encoded columns; the same batch gives the same bytes.
    ///
    /// Throws `ShardError.malformed` for a token or a value of 65,535 bytes or more, which has no form there.
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

    /// Reads columns; every length is checked against what is there.
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
