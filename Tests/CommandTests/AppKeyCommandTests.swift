import Campaigns
import Foundation
import Testing

/// The keys that an app ships with.
@Suite struct AppKeyCommandTests {
    private let folder: CommandFolder
    private let command: Command
    private var file: String { folder.path + "/news.keys" }

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
        try folder.write("apps.yaml", "apps:\n  news:\n    edge: {integration_keys_file: news.keys}\n  shop: {}\n")
    }

    private var text: String? { try? String(contentsOfFile: file, encoding: .utf8) }

    @Test func `a key is printed once, kept as a hash, listed and revoked`() throws {
        let made = try command.run("app", "key", "create", "news", "--name", "ios-1")
        #expect(made.exit == 0 && made.output.hasPrefix("fik_") && made.output.utf8.count == 48, "\(made)")
        let key = String(made.output.dropLast())
        #expect(text?.contains("ios-1") == true && text?.contains(key.dropFirst(4)) == false)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let second = try command.run("app", "key", "create", "news", "--name", "ios-2", "--json")
        let document = try #require(JSONReader.read(Array(second.output.utf8)).value)
        #expect(document["key"]?.string.map { $0 != key && $0.hasPrefix("fik_") } == true)
        #expect(try command.run("app", "key", "create", "news", "--name", "ios-1").exit == 78)
        let listed = try command.run("app", "key", "list", "news")
        #expect(listed.output.contains("ios-1") && listed.output.contains("ios-2"))
        #expect(try command.run("app", "key", "revoke", "news", "--name", "ios-1").exit == 0)
        // Only the fact that there was such a key is kept, for its devices.
        #expect(text?.contains("name: \"ios-1\"") == false && text?.contains("name: \"ios-2\"") == true)
        #expect(text?.contains("# revoked: ios-1 ") == true)
        #expect(try command.run("app", "key", "revoke", "news", "--name", "ios-2").exit == 0)
        let none = try command.run("app", "key", "list", "news", "--json")
        #expect(none.exit == 0 && none.output == "[]\n", "\(none)")
    }

    @Test func `a dry run makes and takes nothing`() throws {
        let made = try command.run("app", "key", "create", "news", "--name", "ios-1", "--dry-run")
        #expect(made.exit == 0 && made.output.contains("would gain the key ios-1") && text == nil, "\(made)")
        #expect(try command.run("app", "key", "create", "news", "--name", "ios-1").exit == 0)
        let before = text
        let tried = try command.run("app", "key", "revoke", "news", "--name", "ios-1", "--dry-run")
        #expect(tried.exit == 0 && tried.output.contains("would lose the key ios-1") && text == before, "\(tried)")
    }

    @Test(arguments: [
        (["app", "key", "create", "shop", "--name", "a"], "edge: {integration_keys_file: shop.keys}"),
        (["app", "key", "create", "quiz", "--name", "a"], "there is no app quiz"),
        (["app", "key", "revoke", "news", "--name", "a"], "fanfare app key create"),
        (["app", "key", "list", "news"], "fanfare app key create"),
    ])
    func `what cannot be done is said with how to fix it`(_ arguments: [String], _ hint: String) throws {
        let tried = try command.run(arguments)
        #expect(tried.exit == 78 && tried.errors.contains(hint), "\(tried)")
    }
}
