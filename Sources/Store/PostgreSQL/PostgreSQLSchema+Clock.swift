#if PostgreSQL
/// See `SQLiteSchema.clock`; the shared time itself is the server's.
extension PostgreSQLSchema {
    static let clock = "ALTER TABLE workers ADD COLUMN skew BIGINT"
}
#endif
