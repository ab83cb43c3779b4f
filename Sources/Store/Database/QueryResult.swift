/// The rows of a query as a database gives them; a folder for each database holds its own.
///
/// Columns are counted from 0, and their values are those of the current row.
protocol QueryResult: AnyObject {
    /// Goes to the next row; returns false after the last one.
    func next() throws(LedgerError) -> Bool

    /// Releases what the query holds of its connection; must be the last call.
    func end()

    var columnCount: Int32 { get }

    /// The name of a column, valid as long as this result.
    func columnName(_ column: Int32) -> UnsafePointer<CChar>?

    func isNull(_ column: Int32) -> Bool

    /// The number of a column; 0 for NULL.
    func number(_ column: Int32) -> Int64

    func text(_ column: Int32) -> String?

    /// The bytes of a text or blob, valid up to the next row; empty for NULL.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer

    /// The column that was found last by its name; -1 at first.
    var lastColumn: Int32 { get set }
}
