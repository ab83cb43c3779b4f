/// A decoder for `content.in_app` that refuses fields that do not fit the layout.
struct InAppMessageDecoder {
    private let reader: ObjectReader
    private let log: ProblemLog

    static let (headerBytesMax, messageBytesMax, pageBytesMax) = (1024, 4096, 65_536)
    static let (buttonsMax, assetsMax, extrasBytesMax) = (2, 20, 4096)
    static let (labelBytesMax, buttonIDBytesMax, urlBytesMax) = (128, 64, 2048)
    static let durationMax = 3600

    /// Returns the message; nil if the value is not an object or its type is unknown.
    static func message(_ value: JSONValue, at pointer: JSONPointer, _ log: ProblemLog) -> InAppMessage? {
        guard let reader = ObjectReader(value, at: pointer, JobFields.inApp, log) else { return nil }
        return InAppMessageDecoder(reader: reader, log: log).message()
    }

    private init(reader: ObjectReader, log: ProblemLog) {
        self.reader = reader
        self.log = log
    }

    private func message() -> InAppMessage? {
        reader.require("type", fix: "give slideup, modal, full or html")
        let layout = reader.choice("type", of: InAppMessage.Layout.self)
        var message = InAppMessage(layout: layout ?? .modal)
        let isPage = layout == .html
        message.header = plain("header", bytesMax: Self.headerBytesMax)
        // A page may contain braces of its own, so it is not checked for templates.
        message.message =
            isPage
            ? reader.text("message", bytesMax: Self.pageBytesMax) : plain("message", bytesMax: Self.messageBytesMax)
        message.imageURL = plain("image_url", bytesMax: Self.urlBytesMax).flatMap {
            secure($0, "image_url", at: location("image_url"))
        }
        message.isImageOnly = reader.flag("image_only") ?? false
        message.position = reader.choice("position", of: InAppMessage.Position.self)
        message.orientation = reader.choice("orientation", of: InAppMessage.Orientation.self)
        message.duration = reader.seconds("duration", from: 1, to: Self.durationMax)
        message.buttons = buttons()
        message.assets = assets()
        message.extras = extras()
        guard layout != nil else { return nil }
        checkLayout(message)
        return message
    }

    // MARK: - Fields

    private func plain(_ name: String, bytesMax: Int) -> String? {
        guard let text = reader.text(name, bytesMax: bytesMax) else { return nil }
        Templates.refuseAnywhere(in: text, name, at: location(name), log)
        return text
    }

    private func secure(_ text: String, _ name: String, at location: JSONPointer) -> String? {
        let rest = text.utf8.dropFirst("https://".utf8.count)
        let isHost = rest.first.map { NameRule.isWordByte($0) || $0 == 0x5B } ?? false
        guard text.hasPrefix("https://"), isHost, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            let fix =
                text.hasPrefix("http://")
                ? "write https://" : "write https:// and the host, spaces and other characters as %20 and the like"
            log.refuse(.format, at: location, "\(name) must be an https address", fix: fix)
            return nil
        }
        return text
    }

    private func buttons() -> [InAppMessage.Button] {
        let elements = reader.array("buttons", countMax: Self.buttonsMax) ?? []
        var buttons: [InAppMessage.Button] = []
        for (index, element) in elements.enumerated() {
            let entry = location("buttons").appending(index)
            guard let fields = ObjectReader(element, at: entry, JobFields.inAppButton, log) else { continue }
            fields.require("id")
            fields.require("label")
            let url = fields.text("url", bytesMax: Self.urlBytesMax)
            let label = fields.text("label", bytesMax: Self.labelBytesMax)
            for (name, text) in [("url", url), ("label", label)] {
                if let text { Templates.refuseAnywhere(in: text, name, at: entry.appending(name), log) }
            }
            guard let id = fields.text("id", bytesMax: Self.buttonIDBytesMax), let label else { continue }
            if !NameRule.isID(id) {
                let detail = "a button's id must be 1 to 64 of the characters A-Z a-z 0-9 . _ : -"
                log.refuse(.format, at: entry.appending("id"), detail)
            }
            if buttons.contains(where: { $0.id == id }) {
                log.refuse(.conflict, at: entry.appending("id"), "two buttons have the id \(id.clipped)")
            }
            buttons.append(InAppMessage.Button(id: id, label: label, url: url))
        }
        return buttons
    }

    private func assets() -> [String] {
        let texts = reader.texts("assets", countMax: Self.assetsMax)
        for (index, text) in texts.enumerated() {
            let entry = location("assets").appending(index)
            if text.utf8.count > Self.urlBytesMax {
                log.refuse(.length, at: entry, "an asset's address has at most \(Self.urlBytesMax) bytes")
            } else {
                _ = secure(text, "an asset", at: entry)
            }
        }
        return texts
    }

    private func extras() -> [JSONMember] {
        guard let members = reader.members("extras"), !members.isEmpty else { return [] }
        let count = JSONWriter.bytes(.object(members)).count
        if count > Self.extrasBytesMax {
            let detail = "extras has \(count) bytes, at most \(Self.extrasBytesMax) are allowed"
            log.refuse(.tooLarge, at: location("extras"), detail)
        }
        return members
    }

    // MARK: - Fields for each layout

    private func checkLayout(_ message: InAppMessage) {
        let name = message.layout.rawValue
        switch message.layout {
        case .slideup:
            refuse(["header", "buttons", "image_only"], "a slideup is one line with an image and a tap")
            if message.message == nil { need("message", "a slideup needs its message") }
        case .modal, .full:
            refuse(["position"], "only a slideup comes from an edge")
            checkText(message)
        case .html:
            refuse(
                ["header", "image_url", "image_only", "position", "buttons"],
                "an html message is its page, and nothing beside it"
            )
            if message.message == nil { need("message", "an html message needs its page") }
        }
        if message.isImageOnly, message.imageURL == nil, message.layout == .modal || message.layout == .full {
            need("image_url", "a message that is an image only needs its image (\(name))")
        } else if message.layout == .full, message.imageURL == nil, !log.hasProblem(within: location("image_url")) {
            log.warn(
                .unusual,
                at: location("image_url"),
                "a full message without an image is discarded by the phone",
                fix: "give image_url, or choose the type modal"
            )
        }
    }

    private func checkText(_ message: InAppMessage) {
        if message.isImageOnly {
            refuse(["header", "message"], "a message that is an image only shows no text")
        } else if message.header == nil, message.message == nil, message.imageURL == nil {
            need("message", "there is nothing to show: no header, message or image")
        }
    }

    private func refuse(_ names: [String], _ reason: String) {
        for name in names where reader.isGiven(name) {
            log.refuse(
                .conflict,
                at: location(name),
                "\(name) cannot be shown: \(reason)",
                fix: "leave it out, or choose another type"
            )
        }
    }

    /// Notes a missing field, unless it is there and was already refused.
    private func need(_ name: String, _ detail: String) {
        if log.hasProblem(within: location(name)) { return }
        log.refuse(.required, at: location(name), detail, fix: "give \(name)")
    }

    private func location(_ name: String) -> JSONPointer { reader.pointer.appending(name) }
}

extension ObjectReader {
    /// Returns true if a field is there and differs from its default value.
    func isGiven(_ name: String) -> Bool {
        has(name) && value(name, isNullable: true) != fields[name]?.standard
    }

    /// Reads a number of seconds, which may have a fraction.
    func seconds(_ name: String, from least: Int, to most: Int) -> JSONNumber? {
        guard let number = number(name, fromZeroToOne: false) else { return nil }
        guard let seconds = number.double, (Double(least)...Double(most)).contains(seconds) else {
            log.refuse(.range, at: pointer.appending(name), "\(name) must be \(least) to \(most) seconds")
            return nil
        }
        return number
    }
}
