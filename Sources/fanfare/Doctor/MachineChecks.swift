import Campaigns
import Foundation
import NIOCore
import NIOPosix
import Operations
import Settings
import Transport

/// Checks the machine for a worker's needs.
struct MachineChecks {
    /// File descriptors that a worker may need: connections to providers by loop, the ledger's, the broker's.
    static let openFilesLeast = 4096
    /// Free bytes below which a campaign of a million devices (some 100 MB) may not fit into the ledger.
    static let diskLeast: Int64 = 1 << 30

    let configuration: Configuration

    /// Runs all checks.
    func run() async -> [Finding] {
        var findings = [openFiles, zones]
        if case .sqlite(let path) = configuration.store { findings.append(disk(path)) }
        findings.append(await address())
        return findings
    }

    private var openFiles: Finding {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Self.openFiles(Int(clamping: limit.rlim_cur))
    }

    /// Returns the finding about a limit of open files.
    static func openFiles(_ most: Int) -> Finding {
        guard most < openFilesLeast else { return .well("open files", "\(NumberText.grouped(most)) at most") }
        return .warning(
            "open files",
            "\(NumberText.grouped(most)) at most in this shell; connections fail when they are used up",
            fix: "ulimit -n \(openFilesLeast), or LimitNOFILE= in the unit"
        )
    }

    private var zones: Finding {
        if ZoneClock.knows("Europe/Madrid") { return .well("time zones", "the system's database is there") }
        return .wrong(
            "time zones",
            "/usr/share/zoneinfo has no Europe/Madrid: local times and quiet hours cannot be kept",
            fix: "apt-get install tzdata"
        )
    }

    private func disk(_ path: String) -> Finding {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else {
            return .wrong("disk", "the ledger's folder \(folder) is not there", fix: "mkdir -p \(folder)")
        }
        let text = "\(NumberText.grouped(Int(free >> 20))) MiB free for the ledger in \(folder)"
        guard free < Self.diskLeast else { return .well("disk", text) }
        return .warning("disk", text, fix: "make room, or shorten store.retention.*")
    }

    /// Returns the finding about a worker's address; only a configured one matters, as the default moves to a free
    /// port.
    private func address() async -> Finding {
        let (check, listen) = ("worker.listen", configuration.worker.listen)
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: listen.host, port: listen.port).get()
            try? await channel.close()  // the probe's socket closes with the process anyway
            return .well(check, "\(listen) is free")
        } catch {
            guard configuration.worker.listenIsGiven else {
                return .well(check, "\(listen) is taken: a worker here takes the next free port")
            }
            let reason = SocketErrorText.words(error)
            return .warning(
                check,
                "\(listen) cannot be listened on here (\(reason)); that is expected if a worker runs",
                fix: "name a free address, or leave the key out"
            )
        }
    }
}
