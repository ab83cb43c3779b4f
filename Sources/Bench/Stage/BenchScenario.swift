/// The scenarios that can be measured, one for each row of section 16 of the design.
package enum BenchScenario: String, CaseIterable, Sendable {
    case transport
    case sending
    case bearer = "fcm"
    case allocations
    case memory
    case latency
    case dead
    case goaway
    case retries
    case limits
    case scaling
    case planning
    case first
    case registry
    case lists
    case urgent
    case goal
    case followers
    case rate
    case variables
    case fire
    case orders
    case dashboard
    case edge

    /// The description for `--help`.
    package var abstract: String {
        switch self {
        case .transport: "the transport alone (TLS, HTTP/2, sockets) and h2load in turn; needs no broker"
        case .sending: "a whole worker and h2load in turn, with the shares of ledger, planning and the rest"
        case .bearer: "the same through FCM: a bearer of a kilobyte, the token in the body"
        case .allocations: "allocations of a worker for a device, from campaigns of two sizes"
        case .memory: "the most memory that a worker has resident, at two sizes of the audience"
        case .latency: "the rate with answers after 50 ms, beside that without delay"
        case .dead: "the rate with 5 % of the devices answered 410, beside that with none"
        case .goaway: "the rate with a GOAWAY after every 1,000 streams, and that nothing is lost or repeated"
        case .retries: "CPU and its shares with 5 % of the requests answered 503, beside that with none"
        case .limits: "how soon the rate is back after a provider cut the streams of every connection to one"
        case .scaling: "CPU for a device with one and with four workers at half of one worker's full rate"
        case .planning: "CPU for a device of a process that only plans, from a list and from a segment"
        case .first: "a campaign to a segment, from publish to its first request, while its audience is frozen"
        case .registry: "the time that a device takes to register and to be indexed, and the size of the index"
        case .lists: "the upload of a list: devices a second and the client's memory, beside the disk's rate"
        case .variables: "CPU of a campaign with three variables and four languages, beside the same without"
        case .fire: "a held campaign, from the commit of fire to the first request at the peer"
        case .orders: "pause and cancel, from their commit until nothing is sent, and until nothing is pending"
        case .dashboard: "CPU of workers and server with the dashboard open in three browsers, beside that with none"
        case .edge: "500,000 opens within a minute at the device edge, over HTTP/2 and HTTP/1.1, and while sending"
        case .urgent: "an urgent campaign of one device, from publish to the peer, while bulk is being sent"
        case .goal: "an update to a broadcast channel, from publish to the peer, while bulk is being sent"
        case .followers: "an update to all who follow a Live Activity, by their tokens, beside a prepared list"
        case .rate: "a campaign with per_second on two workers, in one-second buckets at the peer"
        }
    }

    /// The default number of devices of a campaign; `--scale` multiplies it.
    package var devices: Int {
        switch self {
        case .transport: 1_000_000
        case .sending, .bearer, .latency: 2_000_000
        case .memory: 10_000_000
        case .first, .lists: 5_000_000
        case .urgent, .goal, .limits: 3_000_000
        case .rate: 20_000
        case .edge, .registry: 500_000
        case .allocations, .dead, .goaway, .retries, .scaling, .planning, .variables, .fire, .orders, .dashboard,
            .followers:
            1_000_000
        }
    }

    /// The default number of rounds.
    var rounds: Int {
        switch self {
        case .transport, .sending, .bearer, .fire, .first: 5
        case .latency, .dead, .goaway, .retries, .scaling, .planning, .lists, .variables, .orders, .dashboard,
            .followers:
            3
        case .allocations, .memory, .limits, .urgent, .goal, .rate, .edge, .registry: 1
        }
    }
}
