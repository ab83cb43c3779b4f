/// The rules by which a job reaches the tokens of Live Activities.
///
/// A start goes to the tokens that start activities of its type, of the devices of a registry's audience; an update or
/// an end goes to the tokens of one activity. Devices and lists bring tokens of their own, which are taken as they are.
struct ActivityRules {
    private let content: Content
    private let pushType: PushType
    /// The priority as the job says it; nil if it says none.
    private let priority: DeliveryOptions.Priority?
    private let pointer: JSONPointer
    private let log: ProblemLog

    init(
        kind: CampaignKind,
        content: Content,
        delivery: DeliveryOptions,
        at pointer: JSONPointer,
        _ log: ProblemLog
    ) {
        self.content = content
        pushType = PushRules.pushType(kind: kind, content: content, delivery: delivery)
        priority = delivery.priority
        self.pointer = pointer
        self.log = log
    }

    /// Reports an audience and an event that do not belong together.
    func check(_ audience: Audience, _ exclude: Audience?) {
        switch audience {
        case .activity:
            checkActivity()
            checkExclude(exclude)
        case .users, .segment, .everyone:
            guard pushType == .liveactivity, let event = content.liveActivity?.event, event != "start" else { return }
            log.refuse(
                .conflict,
                at: location(audience.selector),
                "the \(event) of a Live Activity goes to the activity's tokens, not to the devices' own",
                fix: #"give "activity": {"type": …, "id": …} in place of \#(audience.selector)"#
            )
        case .devices, .list, .channel: break
        }
    }

    private func checkActivity() {
        guard pushType == .liveactivity else {
            return log.refuse(
                .conflict,
                at: location("activity"),
                "the tokens of an activity take pushes of type liveactivity alone",
                fix: "give \"push_type\": \"liveactivity\" in delivery, or name devices, list, users or segment"
            )
        }
        guard content.liveActivity?.event == "start" else { return warnOfBudget() }
        log.refuse(
            .conflict,
            at: location("activity"),
            "the tokens of an activity take its updates and its end; it has started already",
            fix: "name users, segment or everyone: a start goes to their tokens for it"
        )
    }

    /// Warns of an update that nobody chose a priority for, and that shows no alert: Apple counts it against the budget
    /// of the app's activities, and drops what exceeds that.
    private func warnOfBudget() {
        guard content.liveActivity?.event == "update", priority == nil, !content.hasAlert else { return }
        log.warn(
            .unusual,
            at: pointer.appending("delivery").appending("priority"),
            "an update of priority high counts against the budget that a phone gives the app's activities",
            fix: "give \"priority\": \"normal\" to what ticks, and \"high\" to what must be seen now"
        )
    }

    /// Refuses to leave out devices by their own tokens, which are not the activity's.
    private func checkExclude(_ exclude: Audience?) {
        switch exclude {
        case .devices, .list:
            log.refuse(
                .conflict,
                at: location("exclude"),
                "these are left out by their own tokens, which are not those of the activity",
                fix: "leave them out by users or by a segment"
            )
        default: break
        }
    }

    private func location(_ name: String) -> JSONPointer { pointer.appending("audience").appending(name) }
}

extension Job {
    /// The type of attributes whose start tokens the job goes to; nil if it goes to other tokens.
    public var startedType: String? {
        switch audience {
        case .users, .segment, .everyone:
            guard effectivePushType == .liveactivity, let activity = content.liveActivity, activity.event == "start"
            else { return nil }
            return activity.attributesType
        case .devices, .list, .channel, .activity: return nil
        }
    }

    /// The activity that the job ends for all who follow it; nil if it ends none.
    public var endedActivity: ActivityName? {
        guard case .activity(let name) = audience, content.liveActivity?.event == "end" else { return nil }
        return name
    }

    /// True if the job goes to tokens that devices have for Live Activities.
    public var isForActivities: Bool {
        if case .activity = audience { return true }
        return startedType != nil
    }
}
