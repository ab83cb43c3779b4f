/// The reasons for which a job is parked that only its producer can fix; all others are the fleet's.
public enum RefusalReason: String, Sendable, CaseIterable {
    /// The job cannot be sent.
    case invalidJob = "InvalidJob"
    /// Another job has the id.
    case campaignConflict = "CampaignConflict"
    /// The message carried an AMQP expiration, which ran out in the queue.
    case expiration = "Expiration"
}
