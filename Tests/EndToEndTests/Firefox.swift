import Foundation
import Servers

/// Debian's Firefox, driven by `Tests/Browser/firefox.py`.
enum Firefox {
    /// True if the browser and the packages that drive it are present; `Deploy/test.sh` installs both.
    static let isThere = PythonJudge.isThere && FileManager.default.isExecutableFile(atPath: "/usr/bin/firefox-esr")
}
