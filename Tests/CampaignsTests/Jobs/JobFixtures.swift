import Campaigns
import PushProviders

/// Jobs on which the tests are based, and short ways to change and decode them.
enum JobFixtures {
    /// The instant 2026-11-20T19:55:00Z.
    static let now = Timestamp(milliseconds: 1_795_204_500_000)
    static let token = String(repeating: "ab12", count: 16)

    static let minimal = """
        {"id": "hello-1", "app": "news", "audience": {"devices": [{"token": "\(token)"}]},
         "content": {"title": "Hello"}}
        """

    /// An alert with every field of this version.
    static let full = """
        {
          "id": "derby:kickoff-1", "app": "news", "kind": "notification", "created_at": "2026-11-20T19:54:00.120Z",
          "name": "Derby", "tags": ["sport", "cup"], "metadata": {"run": "8812"},
          "audience": {"devices": [{"token": "\(token.uppercased())", "provider": "apns", "environment": "sandbox",
            "id": "ana", "locale": "es-ES", "time_zone": "Europe/Madrid", "variables": {"first": "Ana", "age": 31}}]},
          "content": {
            "title": "T", "subtitle": "S", "body": "B", "title_loc_key": "TK", "title_loc_args": ["a", "b"],
            "subtitle_loc_key": "SK", "subtitle_loc_args": ["c"], "loc_key": "LK", "loc_args": ["d"],
            "launch_image": "start.png", "media_url": "https://cdn.example.com/a.jpg", "category": "LIKE",
            "url": "app://match/7", "actions": [{"id": "LIKE_IDENTIFIER", "url": "app://like/{{ age }}"}],
            "badge": 3, "sound": {"critical": true, "name": "siren.caf", "volume": 0.5}, "thread_id": "derby",
            "interruption_level": "time-sensitive", "relevance_score": 0.8, "target_content_id": "m7",
            "filter_criteria": "sport", "content_available": true, "mutable_content": true,
            "data": {"match": 7, "deep": {"list": [1, "x", null]}}, "apns": {"aps": {"input-push-token": 1}},
            "localizations": {"pt-BR": {"title": "Oi {{ first | default: \\"fã\\" }}", "title_loc_args": ["x"],
              "sound": "default"}, "en": {"body": "Kick-off"}}
          },
          "delivery": {
            "push_type": "alert", "priority": "low", "urgency": "urgent", "ttl": 3600, "if_offline": "drop",
            "collapse_id": "score", "supersede": false, "max_attempts": 3, "on_unknown": "drop"
          }
        }
        """

    static let liveActivity = """
        {"id": "live-1", "app": "news", "audience": {"devices": [{"token": "\(token)"}]},
         "content": {"title": "Kick-off", "live_activity": {"event": "start", "timestamp": 1795204500,
           "content_state": {"home": 0}, "stale_date": 1795208100, "attributes_type": "MatchAttributes",
           "attributes": {"match": 7}}},
         "delivery": {"push_type": "liveactivity"}}
        """

    static let background = """
        {"id": "refresh-1", "app": "news", "audience": {"list": "sport@3"},
         "content": {"content_available": true, "data": {"refresh": true}}}
        """

    static func decode(
        _ text: String,
        _ envelope: JobEnvelope = JobEnvelope(now: now, tokens: ProviderRegistry.tokens)
    ) -> JobDecoding {
        JobDecoder.decode(Array(text.utf8), envelope: envelope)
    }

    /// Returns the minimal job with a member replaced or added.
    static func job(_ name: String, _ value: String) -> String {
        patch(minimal, path: [name], value)
    }

    /// Returns a job with the value at a path replaced, added, or, when nil, removed.
    static func patch(_ text: String, path: [String], _ value: String?) -> String {
        let root = JSONReader.read(Array(text.utf8)).value ?? .null
        let replacement = value.map { JSONReader.read(Array($0.utf8)).value ?? .string("unreadable") }
        return patched(root, path: path[...], replacement).text
    }

    private static func patched(_ value: JSONValue, path: ArraySlice<String>, _ new: JSONValue?) -> JSONValue {
        guard let name = path.first else { return new ?? .null }
        let rest = path.dropFirst()
        if case .array(var elements) = value, let index = Int(name), elements.indices.contains(index) {
            elements[index] = patched(elements[index], path: rest, new)
            return .array(elements)
        }
        var members = value.members ?? []
        let index = members.firstIndex { $0.name == name }
        if rest.isEmpty, new == nil {
            members.removeAll { $0.name == name }
        } else if let index {
            members[index].value = patched(members[index].value, path: rest, new)
        } else {
            members.append(JSONMember(name, patched(.object([]), path: rest, new)))
        }
        return .object(members)
    }
}
