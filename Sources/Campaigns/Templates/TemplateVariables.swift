/// The values of a program's variables in a memory block of its own: a cell for each variable and device.
///
/// Its owner frees it.
struct TemplateVariables {
    private struct Cell {
        var start: UInt32 = 0
        /// The length; −1: the device has no such variable; −2: its value is not UTF-8.
        var count: Int32 = -1
    }

    private let pool: UnsafeMutableRawBufferPointer
    private let cells: UnsafeMutableBufferPointer<Cell>
    private let deviceCount: Int

    enum Value {
        case absent
        case broken
        case text(UnsafeRawBufferPointer)
    }

    init(_ names: [String], of batch: DeviceBatch) {
        let columns = names.map { name in batch.variables.first { $0.name == name } }
        pool = .allocate(byteCount: columns.reduce(0) { $0 + ($1?.bytes.count ?? 0) }, alignment: 16)
        cells = .allocate(capacity: names.count * batch.count)
        cells.initialize(repeating: Cell())
        deviceCount = batch.count
        var filled = 0
        for (index, column) in columns.enumerated() {
            guard let column else { continue }
            let target = UnsafeMutableRawBufferPointer(rebasing: pool[filled..<filled + column.bytes.count])
            target.copyBytes(from: column.bytes)
            // Nearly all columns of numbers and ids are ASCII, which is always valid UTF-8.
            let isASCII = column.bytes.allSatisfy { $0 < 0x80 }
            var start = 0
            for position in 0..<batch.count {
                guard let count = column.byteCount(at: position) else { continue }
                var cell = Cell(start: UInt32(filled + start), count: Int32(count))
                if !isASCII, !Self.isUTF8(UnsafeRawBufferPointer(rebasing: target[start..<start + count])) {
                    cell.count = -2
                }
                cells[index * batch.count + position] = cell
                start += count
            }
            filled += column.bytes.count
        }
    }

    func free() {
        pool.deallocate()
        cells.deallocate()
    }

    @inline(__always)
    func value(_ variable: Int, of position: Int) -> Value {
        let cell = cells[variable * deviceCount + position]
        guard cell.count >= 0 else { return cell.count == -1 ? .absent : .broken }
        let start = Int(cell.start)
        return .text(UnsafeRawBufferPointer(rebasing: pool[start..<start + Int(cell.count)]))
    }

    private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var iterator = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid: continue
            case .emptyInput: return true
            case .error: return false
            }
        }
    }
}
