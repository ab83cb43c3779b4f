import Foundation

/// The browser of the person who runs a demo.
enum DemoBrowser {
    /// Opens a page where there is a display and `xdg-open`; elsewhere the printed address has to do.
    static func open(_ address: String) {
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["xdg-open", address]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()  // without it, the address is on the screen
    }
}
