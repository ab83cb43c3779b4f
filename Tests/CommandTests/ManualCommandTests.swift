import Foundation
import Testing

@testable import fanfare

/// The manual page and completions.
@Suite struct ManualCommandTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
    }

    @Test func `the manual page has every command and option that help has`() throws {
        let page = try command.run("manual")
        #expect(page.exit == 0, "\(page.errors)")
        let text = page.output.replacing("\\-", with: "-")
        for name in ["fanfare campaign send", "fanfare parked replay", "fanfare doctor", "fanfare config reference"] {
            #expect(text.contains(".SS \"\(name)\""), "\(name)")
        }
        for option in ["--audience <audience>", "--dry-run", "--json", "--offline"] {
            #expect(text.contains("\\fB\(option)\\fR"), "\(option)")
        }
        #expect(!text.contains("fanfare help"))
    }

    @Test func `text cannot become an order to the typesetter`() {
        #expect(ManualPage.escaped(".so /etc/passwd") == "\\&.so /etc/passwd")
        #expect(ManualPage.escaped("'quoted' a\\b -x") == "\\&'quoted' a\\eb \\-x")
        #expect(ManualPage(helpDump: "{}") == nil && ManualPage(helpDump: "no") == nil)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completions are made for each shell`(shell: String) throws {
        let script = try command.run("--generate-completion-script", shell)
        #expect(script.exit == 0)
        #expect(script.output.contains("campaign") && script.output.contains("doctor"))
    }
}
