import Campaigns

/// A table of aligned columns with two spaces between them.
package struct TextTable: Sendable {
    /// The alignment of a column.
    package enum Alignment: Sendable {
        /// The alignment of words.
        case left
        /// The alignment of numbers.
        case right
    }

    private let columns: [Alignment]
    private var rows: [[String]] = []

    /// Creates a table without headings.
    package init(columns: [Alignment], rows: [[String]] = []) {
        self.columns = columns
        for row in rows { add(row) }
    }

    /// Creates a table with headings.
    package init(_ headings: [(String, Alignment)], rows: [[String]] = []) {
        self.init(columns: headings.map(\.1), rows: [headings.map { $0.0.uppercased() }] + rows)
    }

    /// Adds a row with a cell for every column; control characters are replaced, so that a name stays in its cell.
    package mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row of \(cells.count) cells in \(columns.count) columns")
        rows.append(cells.map(TerminalText.safe))
    }

    /// The lines, without trailing spaces.
    package var text: String {
        let widths = columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = columns.indices.map { column in
                NumberText.padded(row[column], to: widths[column], columns[column])
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        .joined(separator: "\n")
    }
}

/// Makes untrusted texts safe for a terminal.
package enum TerminalText {
    /// Returns the text with control characters as `?`: no name moves the cursor or starts a line.
    package static func safe(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            scalar.properties.generalCategory == .control ? "?" : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension NumberText {
    /// Pads a text with spaces; a longer text stays as it is.
    static func padded(_ text: String, to width: Int, _ alignment: TextTable.Alignment = .left) -> String {
        let fill = String(repeating: " ", count: max(0, width - text.count))
        return alignment == .left ? text + fill : fill + text
    }
}
