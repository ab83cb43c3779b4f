/// A migration of a ledger's tables.
struct SchemaMigration {
    let name: String
    let statements: String

    /// The migrations of a file, in their order; each begins with the line `-- migration NAME`.
    static func all(of file: [UInt8]) -> [SchemaMigration] {
        String(decoding: file, as: UTF8.self).split(separator: "\n-- migration ").dropFirst().map { section in
            let name = section.prefix { $0 != "\n" }
            return SchemaMigration(name: String(name), statements: String(section[name.endIndex...]))
        }
    }
}
