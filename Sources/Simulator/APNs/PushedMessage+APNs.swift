extension PushedMessage {
    /// Creates a notification of APNs from a request that the rules have passed.
    ///
    /// One notification per app is stored; without `apns-expiration` it is kept for 30 days (Apple, "Sending
    /// notification requests to APNs").
    init(_ request: borrowing ProviderRequest, id: String, now: Int64) {
        let payload = try? JSONNode(parsing: request.body[...])
        let alert = payload?["aps"]?["alert"]
        let expiration = request[.expiration].flatMap(DecimalDigits.value)
        let collapseID = request.text(.collapseID)
        self.init(
            id: id,
            expiresAt: expiration.map { $0 == 0 ? now : $0 * 1000 } ?? now + 30 * 86_400_000,
            storage: .replacing(request.text(.topic) ?? ""),
            isShown: alert != nil,
            displayKey: collapseID,
            title: alert?["title"]?.string,
            body: alert?["body"]?.string ?? alert?.string,
            payload: String(validating: request.body, as: UTF8.self),
            activity: Self.activity(request[.pushType], payload?["aps"])
        )
    }

    /// Returns the message of a Live Activity; nil for a push of another type.
    private static func activity(_ type: ArraySlice<UInt8>?, _ aps: JSONNode?) -> ActivityScreen.Message? {
        guard type.flatMap(PushType.init(header:)) == .liveactivity, let aps, let event = aps["event"]?.string,
            let timestamp = aps["timestamp"]?.integer
        else { return nil }
        return ActivityScreen.Message(event: event, timestamp: timestamp, state: aps["content-state"]?.json)
    }
}
