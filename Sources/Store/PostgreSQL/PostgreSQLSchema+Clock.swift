#if PostgreSQL
/// See `SQLiteSchema.clock`; the shared time is the server's clock.
extension PostgreSQLSchema {
    static let clock = "ALTER TABLE workers ADD COLUMN skew BIGINT"
}
#endif
