import Testing

/// The repository's rules, checked on the tree that is being built.
@Suite struct TidyTests {
    @Test(arguments: Rule.all) func `every file keeps the rule`(rule: Rule) throws {
        let violations = try SourceTree.repository.get().files.flatMap(rule.check)
        #expect(violations.isEmpty, "\(rule.name):\n\(violations.map(\.description).joined(separator: "\n"))")
    }

    @Test func `the tree is really read`() throws {
        let tree = try SourceTree.repository.get()
        #expect(tree.files.contains { $0.path == "Tests/TidyTests/TidyTests.swift" })
        #expect(tree.files.contains { $0.path.hasPrefix("Sources/Campaigns/") })
    }

    @Test func `folders and files are named without spaces`() throws {
        let spaced = try SourceTree.repository.get().paths.filter { $0.contains(" ") }
        #expect(spaced.isEmpty, "\(spaced)")
    }

    @Test func `every folder of sources is a target of section 3`() throws {
        let folders = try Set(
            SourceTree.repository.get().paths.filter { $0.hasPrefix("Sources/") }
                .map { String($0.split(separator: "/")[1]) }
        )
        #expect(folders.subtracting(House.targets).isEmpty)
    }

    @Test func `the top level holds only what section 3 names`() throws {
        let known: Set = ["Package.swift", "Package.resolved", "Sources", "Tests", "Deploy", "README.md"]
        let extra = try SourceTree.repository.get().topLevel.filter {
            !$0.hasPrefix(".") && !known.contains($0) && !$0.contains(".db")
        }
        #expect(extra.isEmpty, "\(extra)")
    }
}
