import Campaigns
import Delivery
import TLS

/// An app's `webhooks` in `apps.yaml`: the URLs that its events are posted to.
struct WebhookFields {
    /// The most webhooks that one app may have; each gets a copy of every event.
    static let countMax = 10
    private static let fields = ["url", "secret_file", "events", "ca_file"]

    /// The hosts that are allowed; nil in a process that posts nothing: every host is accepted.
    let hosts: WebhookHosts?

    /// Returns the webhooks and notes their problems.
    func read(_ app: FieldReader) -> [Webhook] {
        let field = "webhooks"
        guard let entry = app.entry(field) else { return [] }
        guard case .sequence(let elements) = entry.value.value else {
            let fix = "write - url: https://… with secret_file below it"
            app.problems.add(entry.line, app.path(field), "wrong_type", "a list of webhooks is expected here", fix)
            return []
        }
        if elements.count > Self.countMax {
            let detail = "\(elements.count) webhooks; an app may have \(Self.countMax)"
            app.problems.add(entry.line, app.path(field), "too_many", detail)
        }
        var webhooks: [Webhook] = []
        for (index, element) in elements.enumerated() {
            guard let fields = FieldReader(element, key: "\(app.path(field))[\(index)]", problems: app.problems),
                let webhook = webhook(fields)
            else { continue }
            if webhooks.contains(where: { $0.url.text == webhook.url.text }) {
                let fix = "give one of them all the events"
                fields.problems.add(fields.line, fields.path("url"), "given_twice", "the URL stands there twice", fix)
            }
            webhooks.append(webhook)
        }
        return webhooks
    }

    private func webhook(_ fields: FieldReader) -> Webhook? {
        fields.refuseUnknown(known: Self.fields)
        let url = url(fields)
        let secrets = secrets(fields)
        let kinds = kinds(fields)
        let authority = authority(fields)
        guard let url, let secrets, let kinds else { return nil }
        return Webhook(url: url, kinds: kinds, secrets: secrets, authority: authority)
    }

    private func url(_ fields: FieldReader) -> WebhookURL? {
        guard let entry = fields.entry("url") else {
            let fix = "add url: https://hooks.example.com/fanfare"
            fields.problems.add(fields.line, fields.path("url"), "missing", "the webhook has no URL", fix)
            return nil
        }
        let url: WebhookURL
        do throws(WebhookURL.Refusal) {
            url = try WebhookURL(entry.value.text ?? "")
        } catch {
            fields.problems.add(entry.line, fields.path("url"), "invalid_url", error.detail, error.fix)
            return nil
        }
        guard let hosts, !hosts.allow(url) else { return url }
        fields.problems.add(
            entry.line,
            fields.path("url"),
            "host_not_allowed",
            "events may not be posted to \(WebhookHosts.entry(for: url))",
            "add \(WebhookHosts.entry(for: url)) to events.webhook_hosts (FANFARE_EVENTS_WEBHOOK_HOSTS)"
        )
        return nil
    }

    private func secrets(_ fields: FieldReader) -> WebhookSecrets? {
        let field = "secret_file"
        guard let entry = fields.entry(field) else {
            fields.problems.add(
                fields.line,
                fields.path(field),
                "missing",
                "the webhook has no secret to sign with",
                "echo \"whsec_$(openssl rand -base64 32)\" > hook.secret, and name that file"
            )
            return nil
        }
        guard let name = fields.text(field, "a file's name", where: { !$0.isEmpty }), let secret = fields.file(name)
        else { return nil }
        do throws(WebhookSecrets.Unusable) {
            return try WebhookSecrets(file: secret.bytes)
        } catch {
            let location = secret.source + (error.line.map { ":\($0)" } ?? "")
            fields.problems.add(
                entry.line,
                fields.path(field),
                "invalid_key",
                "\(location): \(error.detail)",
                "one line a secret, two at most: echo \"whsec_$(openssl rand -base64 32)\" > \(name)"
            )
            return nil
        }
    }

    private func kinds(_ fields: FieldReader) -> EventKinds? {
        let field = "events"
        guard let entry = fields.entry(field) else { return .ofLife }
        let names = CampaignEvent.Kind.allCases.map(\.rawValue)
        guard case .sequence(let elements) = entry.value.value, !elements.isEmpty else {
            let fix = "write it like [campaign.completed, device.invalid], or leave it out for all but those of shards"
            fields.problems.add(entry.line, fields.path(field), "wrong_type", "a list of events is expected here", fix)
            return nil
        }
        var kinds: EventKinds = []
        for element in elements {
            let name = element.text ?? ""
            if let kind = CampaignEvent.Kind(rawValue: name) {
                kinds.insert(EventKinds(kind))
                continue
            }
            let hint = NearestName.hint(name, among: names) ?? "there are \(names.joined(separator: ", "))"
            fields.problems.add(element.line, fields.path(field), "invalid_value", "\(name) is no event", hint)
        }
        return kinds
    }

    private func authority(_ fields: FieldReader) -> Secret? {
        guard let name = fields.text("ca_file", "a file's name", where: { !$0.isEmpty }), let file = fields.file(name)
        else { return nil }
        do throws(TLSError) {
            _ = try TLSClientContext(trust: .authorities(pem: file.bytes, source: file.source), protocols: [])
        } catch {
            let line = fields.entry("ca_file")?.line ?? fields.line
            fields.problems.add(line, fields.path("ca_file"), "invalid_key", error.message)
        }
        return file
    }
}
