import Foundation
import Testing

/// The pictures in `Inside.md` show the targets and folders as they are in the code.
@Suite struct HousePictureTests {
    @Test(arguments: ["targets", "folders"]) func `a picture shows what is in the code`(name: String) throws {
        let tree = try SourceTree.repository.get()
        let picture = try HousePicture(files: tree.files, graphs: FolderGraph.all.get())
        let drawn = name == "targets" ? picture.targets : picture.folders
        let path = "Sources/Fleet/Documentation.docc/Resources/\(name).svg"
        if ProcessInfo.processInfo.environment["FANFARE_DRAW"] == "yes" { try tree.write(drawn, to: path) }
        // Compared as a whole: the difference of two pictures says nothing to a reader.
        let isSame = try tree.text(of: path) == drawn
        #expect(isSame, "\(path) is not what the code draws: run this test with FANFARE_DRAW=yes and look at it")
    }

    @Test func `another import or another mention gives another picture`() {
        func picture(_ text: String) -> HousePicture {
            let files = [("A/A.swift", text), ("B/B.swift", "struct B {}")].map {
                SourceFile(path: "Sources/Store/\($0.0)", text: $0.1)
            }
            return HousePicture(files: files, graphs: [FolderGraph(target: "Store", files: files)])
        }
        let (bare, importing, using) = (picture(""), picture("import Delivery"), picture("let a = B()"))
        #expect(bare.targets != importing.targets && bare.folders == importing.folders)
        #expect(bare.folders != using.folders && bare.targets == using.targets)
    }
}
