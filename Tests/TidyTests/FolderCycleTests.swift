import Testing

/// The folders of a target use each other in one direction, so that each can be read after those that it uses.
@Suite struct FolderCycleTests {
    @Test func `folders form no cycle`() throws {
        for graph in try FolderGraph.all.get() {
            let texts = graph.cycles.map { $0.map { "  \($0)" }.joined(separator: "\n") }
            #expect(texts.isEmpty, "folders of \(graph.target) form a cycle:\n\(texts.joined(separator: "\n\n"))")
        }
    }

    private func graph(_ files: [(path: String, text: String)]) -> FolderGraph {
        FolderGraph(target: "Store", files: files.map { SourceFile(path: "Sources/Store/\($0.path)", text: $0.text) })
    }

    private func names(_ graph: FolderGraph) -> [[String]] { graph.cycles.map { $0.map(\.from) } }

    @Test func `a planted cycle is found, with the file and the type of each edge`() throws {
        let found = graph([
            ("Lists/List.swift", "struct List { let row: Row.ID }"),
            ("Rows/Row.swift", "struct Row { struct ID {} }\nfunc f() -> Schema { Schema() }"),
            ("Tables/Schema.swift", "enum Schema { static let list = List.self }"),
            ("Status/Status.swift", "struct Status { var list: List }"),
        ])
        let cycle = try #require(found.cycles.first)
        #expect(found.cycles.count == 1)
        #expect(
            cycle.map(\.description) == [
                "Lists → Rows: Sources/Store/Lists/List.swift mentions Row of Sources/Store/Rows/Row.swift",
                "Rows → Tables: Sources/Store/Rows/Row.swift mentions Schema of Sources/Store/Tables/Schema.swift",
                "Tables → Lists: Sources/Store/Tables/Schema.swift mentions List of Sources/Store/Lists/List.swift",
            ]
        )
    }

    @Test(arguments: [
        "extension Row.ID {}", "let a: [Row] = []", "func f(_ a: some Collection<Row>) {}", "let a = Store.Row()",
        "let text = \"\\(Row.all)\"", "extension List { var a: Page { Page() } }", "struct A { let a: List.Page }",
        "actor A { var a: Row? { nil } }",
    ])
    func `a mention is found`(_ text: String) {
        let found = graph([
            ("Lists/List.swift", "struct List {}"),
            ("Rows/Row.swift", "struct Row { struct ID {} }\nextension List { struct Page {} }"),
            ("Uses/A.swift", text),
        ])
        #expect(found.edges["Uses"]?.contains { $0.to == "Rows" } == true)
    }

    @Test(arguments: [
        "// Row", "/// ``Row``", "let a = \"Row\"", "let a = other.Row", "let a = Rows()", "struct Row {}",
        "private enum Row { case a }\nlet a = Row.a", "struct B { enum Row {}\n let a: Row }", "let a = Hidden()",
        "let a: ID? = nil", "extension List { var a: Own { Own() } }",
    ])
    func `what only looks like a mention is none`(_ text: String) {
        let found = graph([
            ("Lists/List.swift", "struct List { struct Own {} }"),
            ("Rows/Row.swift", "struct Row { struct ID {} }\nprivate struct Hidden {}\nstruct Own {}"),
            ("Uses/A.swift", text),
        ])
        #expect(found.edges["Uses"]?.contains { $0.to == "Rows" } != true)
    }

    @Test func `files directly in a target are a folder of their own`() {
        let files = [
            ("Store.swift", "struct Store { let row: Row }"), ("Rows/Row.swift", "struct Row { let a: Page }"),
        ]
        #expect(names(graph(files + [("Page.swift", "struct Page {}")])) == [[".", "Rows"]])
        #expect(names(graph(files + [("Rows/More/Page.swift", "struct Page {}")])) == [])
    }
}
