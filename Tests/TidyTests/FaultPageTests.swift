import Testing

/// Every row of the fault pages names existing tests, or says that it is not run.
@Suite struct FaultPageTests {
    @Test(arguments: FaultPages.paths) func `every row names tests that there are, or is not run`(path: String) throws {
        let tree = try SourceTree.repository.get()
        let page = try tree.text(of: path)
        #expect(page.split(separator: "\n").count { FaultRow($0) != nil } > 20)
        let violations = FaultPages.violations(page, path: path, tests: FaultPages.tests(tree.files))
        #expect(violations.isEmpty, "\(violations.map(\.description).joined(separator: "\n"))")
    }

    private let tests = FaultPages.tests([
        SourceFile(
            path: "Tests/EndToEndTests/ChaosTests.swift",
            text: """
                @Test(arguments: all)
                func `D1, D4: workers are killed`(
                @Test(.enabled(if: FullSuite.isOn), arguments: all)
                func `B2: a broker is killed`(
                @Test func `all of them are gone`() async throws {
                func `B3: no test at all`() {
                """
        )
    ])

    @Test func `a suite that only the full run has makes its tests such`() {
        let text = "@Suite(\"a\", .enabled(if: PreviousBuild.isThere))\n@Test func `D12: N-1 beside N`() {\n"
        let found = NamedTest.all(in: SourceFile(path: "Tests/EndToEndTests/A.swift", text: text))
        #expect(found == [NamedTest(name: "D12: N-1 beside N", isFullOnly: true)])
    }

    @Test func `tests are found with their rows, and whether only the full suite runs them`() {
        #expect(tests["ChaosTests"]?.map(\.rows) == [["D1", "D4"], ["B2"], []])
        #expect(tests["ChaosTests"]?.map(\.isFullOnly) == [false, true, false])
    }

    @Test(arguments: [
        "`ChaosTests` D1", "`ChaosTests` D4, `ChaosTests` B2 *full*", "`ChaosTests` (of them are)",
        "not run: one machine", "not run: one machine; `ChaosTests` D1",
    ])
    func `a row whose tests are there is fine`(proof: String) {
        #expect(FaultPages.violations("| D1 | a | b | \(proof) |", path: "a.md", tests: tests).isEmpty)
    }

    @Test(arguments: [
        "", "the simulation", "`ChaosTests`", "`ChaosTests` D2", "`ChaosTests` B2", "`ChaosTests` D1 *full*",
        "`ChaosTests` (none of them)", "`OtherTests` D1", "`ChaosTests` D1, `ChaosTests` B3", "not run",
    ])
    func `a row whose tests are not there is found`(proof: String) {
        let page = "# Faults\n\n| D1 | a | b | \(proof) |"
        #expect(FaultPages.violations(page, path: "a.md", tests: tests).map(\.line) == [3])
    }
}
