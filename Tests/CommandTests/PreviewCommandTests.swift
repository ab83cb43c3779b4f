import Campaigns
import Testing

/// `campaign preview`: the push that a single device would get.
@Suite struct PreviewCommandTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
    }

    private static let content = """
        {"title": "{% if first == blank %}{% abort \\"no name\\" %}{% endif %}Hi {{ first }}",
         "body": "{{ text }}", "localizations": {"pt": {"title": "Oi {{ first }}"}}}
        """

    private func token(_ number: Int) -> String { String(repeating: "0a", count: 31) + "0\(number)" }

    private func audience() -> String {
        """
        {"devices": [
          {"token": "\(token(1))", "id": "ana", "locale": "pt-BR", "variables": {"first": "Ana", "text": "a"}},
          {"token": "\(token(2))", "id": "bo", "variables": {"first": "Bo", "text": "bb"}},
          {"token": "\(token(3))", "id": "nobody", "variables": {"text": "x"}},
          {"token": "\(token(4))", "id": "long", "variables": {"first": "L", "text": "\(String(repeating: "x", count: 4060))"}}
        ]}
        """
    }

    private func samples(_ told: Command.Outcome) throws -> [String: JSONValue] {
        let document = try #require(JSONReader.read(Array(told.output.utf8)).value, "\(told.output) \(told.errors)")
        let samples = document["samples"]?.array ?? []
        return Dictionary(uniqueKeysWithValues: samples.map { ($0["device"]?.string ?? "", $0) })
    }

    @Test func `a device of each language and of each reason is shown, with its size`() throws {
        try folder.write("job.json", Jobs.text(audience: audience(), content: Self.content))
        let told = try command.run("campaign", "preview", "job.json", "--json")
        #expect(told.exit == 0)
        let samples = try samples(told)
        #expect(Set(samples.keys) == ["ana", "bo", "nobody", "long"])
        let payload = #"{"aps":{"alert":{"title":"Oi Ana","body":"a"}}}"#
        #expect(samples["ana"]?["payload"]?.text == payload)
        #expect(samples["ana"]?["bytes"]?.integer == Int64(payload.utf8.count))
        #expect(samples["ana"]?["locale"]?.string == "pt" && samples["bo"]?["locale"] == .null)
        #expect(samples["nobody"]?["reason"]?.string == "Aborted: no name")
        #expect(samples["long"]?["reason"]?.string == "PayloadTooLarge")
        #expect(told.output.contains("maybe_too_large"))
    }

    @Test func `devices are chosen by id or token, and come from a file when the job names none`() throws {
        try folder.write("job.json", Jobs.text(audience: nil, content: Self.content))
        try folder.write("fans.csv", "token,id,first,text\n\(token(1)),ana,Ana,x\n\(token(2)),bo,Bo,y\n")
        let told = try command.run(
            "campaign",
            "preview",
            "job.json",
            "--audience",
            "fans.csv",
            "--device",
            token(2),
            "--json"
        )
        #expect(told.exit == 0, "\(told.errors)")
        let samples = try samples(told)
        #expect(samples.keys.sorted() == ["bo"])
        #expect(samples["bo"]?["payload"]?["aps"]?["alert"]?["title"]?.string == "Hi Bo")
        let unknown = try command.run("campaign", "preview", "job.json", "--audience", "fans.csv", "--device", "eve")
        #expect(unknown.exit == 64)
        let text = try command.run("campaign", "preview", "job.json", "--audience", "fans.csv")
        #expect(text.output.contains("of 2 devices: 2 sent"))
        let without = try command.run("campaign", "preview", "job.json")
        #expect(without.exit == 65)
    }

    @Test func `a variable that no device has is a warning, with its place in the file`() throws {
        try folder.write("job.json", Jobs.text(audience: audience(), content: #"{"title": "{{ firts }}"}"#))
        let told = try command.run("campaign", "preview", "job.json")
        #expect(told.exit == 0)
        #expect(told.errors.contains("job.json:1:") && told.errors.contains("did you mean first?"))
    }
}
