public import Campaigns

extension TopologyManifest {
    /// The number of deliveries of a campaign or shard before it is parked: the broker's own default since 4.0.
    static let deliveryLimit = 20
    /// The same number for parked messages, which are read again and again and must not be dropped for that.
    private static let parkedDeliveryLimit = 1_000_000
    /// The limit of a work or retry queue: a fuse, many times the sum of all windows.
    ///
    /// A full work queue delays due retries by minutes.
    private static let messageLimit = 200_000
    private static let byteLimit = 1 << 30

    /// The topology of this version for these lanes (design, section 6).
    public static func fanfare(lanes: [Lane]) -> TopologyManifest {
        var manifest = TopologyManifest(
            exchanges: [
                Exchange(name: BrokerNames.parked, kind: .fanout),
                Exchange(name: BrokerNames.campaignsBulk, kind: .fanout),
                Exchange(name: BrokerNames.campaignsSplit, kind: .headers, alternate: BrokerNames.campaignsBulk),
                Exchange(name: BrokerNames.campaigns, kind: .topic),
                Exchange(name: BrokerNames.work, kind: .direct),
                Exchange(name: BrokerNames.events, kind: .topic),
                Exchange(name: BrokerNames.control, kind: .fanout),
                Exchange(name: BrokerNames.tracking, kind: .fanout),
            ],
            queues: [],
            bindings: []
        )
        manifest.addParked()
        manifest.addCampaigns()
        manifest.addTracking()
        for lane in lanes { manifest.addWork(lane) }
        for rung in Rung.allCases {
            for side in RungSide.allCases { manifest.addRetry(rung, side) }
        }
        return manifest
    }

    private mutating func addParked() {
        let policy = Policy(deliveryLimit: Self.parkedDeliveryLimit, maxLengthBytes: Self.byteLimit)
        queues.append(Queue(name: BrokerNames.parkedQueue, policy: policy))
        bindings.append(Binding(source: BrokerNames.parked, destination: .queue(BrokerNames.parkedQueue)))
    }

    /// Adds the queues of campaigns.
    ///
    /// A headers exchange cannot express "all but those", so the others take its alternate exchange. Exactly the jobs
    /// that no binding of the split takes reach the shared intake, and no job reaches both.
    private mutating func addCampaigns() {
        let policy = Policy(
            deliveryLimit: Self.deliveryLimit,
            deadLetterExchange: BrokerNames.parked,
            maxLengthBytes: Self.byteLimit
        )
        queues.append(Queue(name: BrokerNames.campaignsQueue, policy: policy))
        queues.append(Queue(name: BrokerNames.urgentCampaignsQueue, policy: policy))
        let urgent = Binding.Header(name: BrokerNames.urgencyHeader, value: "urgent")
        bindings += [
            Binding(source: BrokerNames.campaignsBulk, destination: .queue(BrokerNames.campaignsQueue)),
            Binding(
                source: BrokerNames.campaignsSplit,
                destination: .queue(BrokerNames.urgentCampaignsQueue),
                header: urgent
            ),
            Binding(
                source: BrokerNames.campaigns,
                destination: .exchange(BrokerNames.campaignsSplit),
                routingKey: "#"
            ),
        ]
    }

    /// Adds the queue where a rush of opens waits for the ledger; if it is full, the edge tells phones to come later.
    private mutating func addTracking() {
        let policy = Policy(
            deliveryLimit: Self.deliveryLimit,
            deadLetterExchange: BrokerNames.parked,
            maxLengthBytes: Self.byteLimit
        )
        queues.append(Queue(name: BrokerNames.trackingQueue, policy: policy))
        bindings.append(Binding(source: BrokerNames.tracking, destination: .queue(BrokerNames.trackingQueue)))
    }

    /// Adds a lane's queue without a TTL: expiry is the sender's decision, so that each expired device is counted.
    private mutating func addWork(_ lane: Lane) {
        let policy = Policy(
            deliveryLimit: Self.deliveryLimit,
            deadLetterExchange: BrokerNames.parked,
            maxLength: Self.messageLimit
        )
        let name = BrokerNames.workQueue(lane)
        queues.append(Queue(name: name, policy: policy))
        bindings.append(
            Binding(source: BrokerNames.work, destination: .queue(name), routingKey: lane.description)
        )
    }

    /// Adds a rung's queue with an exchange of its own: a fanout with two queues would double the shard.
    ///
    /// The policy has no dead-letter routing key, so that the lane, with which the shard was published, is kept.
    private mutating func addRetry(_ rung: Rung, _ side: RungSide) {
        let exchange = BrokerNames.retryExchange(rung, side)
        let queue = BrokerNames.retryQueue(rung, side)
        let delay = side.delay(of: rung).components
        let policy = Policy(
            messageTTL: Int(delay.seconds) * 1000 + Int(delay.attoseconds / 1_000_000_000_000_000),
            deadLetterExchange: BrokerNames.work,
            maxLength: Self.messageLimit
        )
        exchanges.append(Exchange(name: exchange, kind: .fanout))
        queues.append(Queue(name: queue, policy: policy))
        bindings.append(Binding(source: exchange, destination: .queue(queue)))
    }
}
