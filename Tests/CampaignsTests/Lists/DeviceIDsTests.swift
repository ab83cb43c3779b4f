import Campaigns
import Testing

@Suite struct DeviceIDsTests {
    private func ids(_ texts: [String?]) -> DeviceIDs {
        texts.reduce(into: DeviceIDs()) { ids, text in
            guard let text else { return ids.append(nil) }
            Array(text.utf8).withUnsafeBytes { ids.append($0) }
        }
    }

    @Test(
        arguments: [
            ["ana", nil, "", "josé-é"], [nil, nil, "ana"], [""], [nil, nil], [],
        ] as [[String?]]
    )
    func `ids come back, absent and empty ones too`(texts: [String?]) {
        let ids = ids(texts)
        #expect(ids.count == texts.count && ids.texts == texts)
        #expect(ids.isEmpty == texts.allSatisfy { $0 == nil })
        // What is stored for no id at all is nothing.
        #expect(DeviceIDs(stored: ids.bytes).texts == (ids.isEmpty ? [] : texts))
    }

    @Test func `no byte beyond the stored ones is read`() {
        let bytes = ids(["ana", "josé"]).bytes
        #expect(bytes.starts(with: [3, 0] + Array("ana".utf8)))
        for count in 0..<bytes.count {
            let read = DeviceIDs(stored: Array(bytes.prefix(count)))
            #expect(read.count == (count < 2 ? 0 : count < 7 ? 1 : 2))
            #expect(read.texts.count == read.count)
        }
    }

    @Test func `an id that is too long is cut off, and the next one is found behind it`() {
        let read = ids([String(repeating: "x", count: 70_000), "ana"])
        #expect(read.texts.map { $0?.utf8.count } == [65_534, 3] && read.texts.last == "ana")
    }

    @Test func `removed ids are absent, and nothing is stored when all are`() {
        var some = ids(["ana", nil, "eva"])
        some.remove { $0 == 0 }
        #expect(some.texts == [nil, nil, "eva"] && some == ids([nil, nil, "eva"]))
        some.remove { $0 == 2 }
        #expect(some.isEmpty && some.count == 3)
    }
}
