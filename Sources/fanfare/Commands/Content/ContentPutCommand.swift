import ArgumentParser
import Campaigns
import Operations
import Store

/// Uploads a content.
struct ContentPutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Store a file as a content, in place of one with the same id.",
        discussion: """
            PNG, JPEG, GIF, WebP, HTML, text and JSON of at most 2 MiB; an image whose first bytes are not those of its \
            type is refused. A phone that has the old content asks again when its push comes.

            Example: fanfare content put c-81 coupon.png --app news --type coupon
            """
    )

    @OptionGroup var choice: ContentChoice

    @Argument(help: "The file, or - for standard input.")
    var file: String

    @Option(help: "What the app does with it, in its own words (default: content).")
    var type: String?

    @Option(help: "The content type, when the file's name does not say it, for example image/png.")
    var contentType: String?

    @OptionGroup var flags: OrderFlags

    private var types: String { ContentType.allCases.map(\.rawValue).joined(separator: ", ") }

    private func knownType() throws -> ContentType {
        if let contentType {
            if let known = ContentType(rawValue: contentType) { return known }
            throw CommandFailure(.usage, "--content-type is one of \(types)")
        }
        if let known = ContentType(fileName: file) { return known }
        throw CommandFailure(.usage, "the name of \(file) does not say its type: give --content-type, one of \(types)")
    }

    func run() async throws {
        let contentType = try knownType()
        let bytes: [UInt8]
        do {
            bytes = try InputFile(path: file).readAll(upTo: ContentType.bytesMax + 1)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
        var problems: [Problem] = []
        guard let upload = ContentUpload(id: choice.id, type: type, contentType: contentType, bytes: bytes, &problems)
        else {
            throw CommandFailure(
                ProblemDocument(.invalidContent, title: "The content cannot be stored", errors: problems)
            )
        }
        let (app, isDry) = (choice.app, flags.isDryRun)
        let result = try await flags.options.withLedger { try await upload.put(app: app, in: $0, isDryRun: isDry) }
        if result == .ofCampaign {
            throw CommandFailure(.wrongState, "\(choice.text) belongs to a campaign, which brings its own content")
        }
        let content = upload.content
        let document: JSONValue = [
            "app": .string(app), "id": .string(choice.id), "type": .string(content.type),
            "content_type": .string(content.contentType.rawValue), "bytes": .number(JSONNumber(content.bytes.count)),
            "version": .string(content.version), "result": .string(result.rawValue),
        ]
        let note = isDry ? ", nothing written" : ""
        let line =
            "\(choice.text): \(result.rawValue), \(content.contentType.rawValue), "
            + "\(NumberText.grouped(content.bytes.count)) bytes\(note)"
        flags.write(line, document)
    }
}
