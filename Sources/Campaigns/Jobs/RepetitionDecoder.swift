/// A decoder for `delivery.repeat` that refuses conflicting fields.
struct RepetitionDecoder {
    let repetition: Repetition?

    /// - Parameters:
    ///   - delivery: The enclosing block.
    ///   - isLocal: True if the hour is that of each device's clock.
    init(_ delivery: ObjectReader, isLocal: Bool) {
        RepetitionDecoder.refuseOthers(delivery)
        let location = delivery.pointer.appending("repeat")
        guard let value = delivery.value("repeat"),
            let reader = ObjectReader(value, at: location, JobFields.repetition, delivery.log)
        else {
            repetition = nil
            return
        }
        reader.require("cron", fix: "say when, for example \"0 9 * * 1-5\"")
        reader.require("time_zone", fix: "say on whose clock, for example \"Europe/Madrid\"")
        let cron = RepetitionDecoder.cron(reader)
        let zone = reader.text("time_zone")
        let until: Repetition.Until? =
            isLocal ? reader.localTime("until").map { .local($0) } : reader.instant("until").map { .at($0) }
        repetition = cron.flatMap { cron in
            zone.map { Repetition(cron: cron, timeZone: $0, until: until, isLocal: isLocal) }
        }
    }

    /// Refuses fields that fix an instant: each run has its own, and its end counts from there.
    private static func refuseOthers(_ delivery: ObjectReader) {
        let fixes = [
            ("send_at", "leave it out: cron says when"),
            ("expires_at", "give a ttl, which counts from each run"),
        ]
        for (name, fix) in fixes where delivery.has(name) {
            delivery.log.refuse(
                .conflict,
                at: delivery.pointer.appending(name),
                "\(name) is one instant, and a repeated campaign has many",
                fix: fix
            )
        }
        if delivery.flag("hold") == true {
            delivery.log.refuse(
                .conflict,
                at: delivery.pointer.appending("hold"),
                "a repeated campaign begins by the clock, a held one by fire",
                fix: "leave out hold, or repeat"
            )
        }
    }

    /// Returns the expression with one space between its fields.
    private static func cron(_ reader: ObjectReader) -> String? {
        guard let text = reader.text("cron", bytesMax: 200) else { return nil }
        let detail: String
        do throws(CronExpression.FormatError) {
            _ = try CronExpression(text)
            return text.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
        } catch {
            detail =
                switch error {
                case .fieldCount(let count): "cron has five fields, not \(count)"
                case .field(let number): "the \(names[number - 1]), field \(number) of cron, cannot be read"
                case .never: "no day of any year matches"
                }
        }
        reader.log.refuse(
            .format,
            at: reader.pointer.appending("cron"),
            detail,
            fix: "write minute, hour, day of the month, month and day of the week, for example \"0 9 * * 1-5\""
        )
        return nil
    }

    private static let names = ["minute", "hour", "day of the month", "month", "day of the week"]
}
