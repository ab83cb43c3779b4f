import Foundation

/// The fate of the commits that wait for a synchronous standby when their primary dies.
public enum StandbyGap: String, CaseIterable, Sendable {
    /// The standby has received them: they are committed there, and their answers are lost.
    case received
    /// They are lost with the primary, on whose disk alone they are committed.
    case lost
}

extension PrivatePostgreSQL {
    /// Freezes the process of a standby that receives what the primary commits; returns its pid.
    ///
    /// The primary's commits then wait for the standby.
    public func freezeReceiver() throws -> Int32 {
        let text = try execute("SELECT pid FROM pg_stat_wal_receiver WHERE status = 'streaming'")
        guard let pid = Int32(text), Foundation.kill(pid, SIGSTOP) == 0 else {
            throw Failure(description: "the standby receives nothing, see \(folder)/log")
        }
        return pid
    }

    /// Returns the number of commits that wait for the standby.
    public func waitingCommits() throws -> Int {
        Int(try execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")) ?? 0
    }

    /// Kills this primary while commits wait for a standby whose receiver is frozen, and promotes the standby.
    public func fail(over standby: PrivatePostgreSQL, receiver: Int32, _ gap: StandbyGap) async throws {
        let written = try execute("SELECT pg_current_wal_flush_lsn()")
        let processes = try execute("SELECT pid FROM pg_stat_activity").split(separator: "\n").compactMap { Int32($0) }
        kill()
        // Its processes end when they notice. Until then one could hear from the standby and answer a commit.
        for process in processes { _ = Foundation.kill(process, SIGKILL) }
        switch gap {
        case .received:
            // What the primary has sent is in the socket still.
            _ = Foundation.kill(receiver, SIGCONT)
            try await eventually("the standby has received the commits") {
                try standby.execute("SELECT pg_last_wal_receive_lsn() >= '\(written)'::pg_lsn") == "t"
            }
        case .lost:
            // With it the standby begins anew from what it has written.
            _ = Foundation.kill(receiver, SIGKILL)
            try await eventually("the standby is back without them") {
                let query = "SELECT coalesce(pg_last_wal_replay_lsn() < '\(written)'::pg_lsn, false)"
                return (try? standby.execute(query)) == "t"
            }
        }
        try standby.promote()
    }
}
