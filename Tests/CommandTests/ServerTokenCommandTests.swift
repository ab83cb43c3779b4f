import Campaigns
import Foundation
import Testing

/// The access tokens of the API.
@Suite struct ServerTokenCommandTests {
    private let folder: CommandFolder
    private let command: Command
    private var file: String { folder.path + "/tokens.yaml" }

    init() throws {
        folder = try CommandFolder()
        command = Command(
            folder: folder.path,
            environment: ["FANFARE_SERVER_TOKENS_FILE": folder.path + "/tokens.yaml"]
        )
    }

    private var text: String? { try? String(contentsOfFile: file, encoding: .utf8) }

    @Test func `a token is printed once, kept as a hash with its end, listed and revoked`() throws {
        let made = try command.run("server", "token", "create", "--name", "crm", "--role", "operator", "--app", "news")
        let token = String(made.output.dropLast())
        #expect(made.exit == 0 && !token.isEmpty && text?.contains(token) == false, "\(made)")
        let second = try command.run(
            ["server", "token", "create", "--name", "ana", "--role", "viewer", "--valid", "90d", "--json"]
        )
        let end = try #require(JSONReader.read(Array(second.output.utf8)).value?["expires_at"]?.string, "\(second)")
        let listed = try command.run("server", "token", "list", "--json")
        let rows = try #require(JSONReader.read(Array(listed.output.utf8)).value?.array, "\(listed)")
        #expect(rows.map { $0["name"]?.string } == ["crm", "ana"] && !listed.output.contains(token))
        #expect(rows.map { $0["role"]?.string } == ["operator", "viewer"])
        #expect(rows[0]["apps"]?.array == ["news"] && rows[1]["apps"] == "all")
        // A token without a given lifetime expires all the same.
        #expect(rows[0]["expires_at"]?.string.map { $0 > end } == true && rows[1]["expires_at"]?.string == end)
        let before = text
        let tried = try command.run("server", "token", "revoke", "--name", "crm", "--dry-run")
        #expect(tried.exit == 0 && tried.output.contains("would lose the token crm") && text == before, "\(tried)")
        #expect(try command.run("server", "token", "revoke", "--name", "crm").exit == 0)
        #expect(text?.contains("crm") == false && text?.contains("ana") == true)
        let again = try command.run("server", "token", "revoke", "--name", "crm")
        #expect(again.exit == 78 && again.errors.contains("there is no token crm"), "\(again)")
    }

    @Test(arguments: ["0s", "59m", "1826d", "never"])
    func `a token that would be good for too long, or not at all, is not made`(valid: String) throws {
        let made = try command.run(
            ["server", "token", "create", "--name", "crm", "--role", "viewer", "--valid", valid]
        )
        #expect(made.exit == 64 && made.errors.contains("1h to 1825d") && text == nil, "\(made)")
    }
}
