import Foundation

/// A root folder whose programs a test's servers are: this machine's own, or another Debian's with other versions.
///
/// `Deploy/matrix.sh` makes such folders, and mounts `/tmp`, `/proc` and `/dev` there, so that paths are the same.
struct ServerRoot: Sendable {
    /// The folder; empty for this machine's own programs.
    let path: String

    /// The root that an environment variable names.
    static func named(_ variable: String) -> ServerRoot {
        ServerRoot(path: ProcessInfo.processInfo.environment[variable] ?? "")
    }

    /// Returns the command that becomes a program of this root in a folder, with the same process id; root becomes the
    /// user that is given.
    func command(_ program: String, _ arguments: [String], in folder: String, as user: String? = nil) -> [String] {
        var words = [program] + arguments
        if let user, getuid() == 0 {
            words = ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"] + words
        }
        guard !path.isEmpty else { return words }
        // chroot goes to the root's own folder.
        return ["/usr/sbin/chroot", path, "/usr/bin/env", "--chdir=\(folder)"] + words
    }
}
