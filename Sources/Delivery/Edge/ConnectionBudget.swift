/// The edge's reason to refuse a request or end a connection; the labels of its metric.
public enum EdgeReason: String, Sendable, CaseIterable, Hashable {
    /// The connection holds as much as it may.
    case connectionMemory = "connection_memory"
    /// All connections together hold as much as the process may.
    case processMemory = "process_memory"
    /// A request was not complete in time, or its answer was not taken.
    case deadline
    /// The connection was silent.
    case idle
    /// The server had to reset too many of the connection's streams.
    case resets
    /// Too many of the connection's requests are being answered.
    case answering
    /// The address has as many connections as it may.
    case addressConnections = "address_connections"
    /// The process has as many connections as it may.
    case connections
    /// Too many requests of the process are being answered.
    case processAnswering = "process_answering"
    /// A connection could not be accepted for lack of a descriptor or of memory.
    case descriptors
    /// A trusted proxy's statement about its client cannot be read.
    case proxyHeader = "proxy_header"
}

/// The limits on what one connection of the edge may make the server hold and do; no I/O.
///
/// The driver reports what is held after each read and each answer, and follows the verdict. A value of one connection,
/// confined to its loop.
public struct ConnectionBudget: Sendable {
    /// The peer's standing.
    public enum Standing: Sendable, Equatable {
        /// A peer that has shown no device's secret.
        case stranger
        /// A device that has shown its secret.
        case device
        /// A trusted proxy with requests of many clients: only each of its streams and the process are bounded.
        case proxy
    }

    /// The action to take.
    public enum Verdict: Sendable, Equatable {
        /// It fits.
        case go
        /// The request is rejected; it may be sent again (RFC 9113, section 8.7).
        case refuse(EdgeReason)
        /// The connection gets a GOAWAY and ends.
        case goAway(EdgeReason)
    }

    /// The bytes that a connection without a device's secret may make the server hold.
    public static let strangerBytesMax = 1 << 20
    /// The bytes that a connection with a device's secret may make the server hold.
    public static let deviceBytesMax = 8 << 20
    /// The bytes that a stranger's connection gets as long as any connection does: enough for a request from an app.
    public static let smallBytesMax = 1 << 16
    /// The number of a connection's requests that are answered at once: as many as it may have streams.
    public static let answeringMax = 256
    /// The number of streams that the server may have to reset at once.
    ///
    /// A client may reset as many. (Debian's default of nghttp2 is 1000, for clients that cancel; a server has less
    /// reason.)
    public static let resetBurst = 200
    /// The rate at which that allowance refills.
    public static let resetsPerSecond = 33

    /// The peer's standing, as far as it is known.
    public private(set) var standing: Standing
    /// The number of requests that are being answered.
    public private(set) var answering = 0
    /// The bytes of these requests.
    public private(set) var answeringBytes = 0
    private var resetLevel = Double(resetBurst)
    private var resetsAt: MonotonicInstant?
    private var resetsSeen = 0

    /// The budget of a new connection.
    public init(_ standing: Standing = .stranger) { self.standing = standing }

    /// Notes that a request showed a device's secret.
    public mutating func proved() {
        if standing == .stranger { standing = .device }
    }

    /// The bytes that the connection may hold; a proxy's are bounded by its streams and by the process.
    public var bytesMax: Int {
        switch standing {
        case .stranger: Self.strangerBytesMax
        case .device: Self.deviceBytesMax
        case .proxy: .max
        }
    }

    /// Returns the bytes that the connection's session may hold; it now holds `held`.
    ///
    /// Strangers fill at most half of the process's budget, except for ``smallBytesMax`` each, so that a new device
    /// finds room for its first request.
    public func sessionBytesMax(_ process: ProcessBudget, held: Int) -> Int {
        var room = process.room
        if standing == .stranger {
            room = min(room, max(process.bytesMax / 2 - process.held, Self.smallBytesMax - held))
        }
        return max(0, min(bytesMax - answeringBytes, held + max(0, room)))
    }

    /// The reason to end a connection that holds more than it may.
    public func reason(held: Int) -> EdgeReason {
        held + answeringBytes >= bytesMax / 2 ? .connectionMemory : .processMemory
    }

    /// Begins to answer a complete request, which takes this many bytes until its answer is ready.
    ///
    /// `held` is what the connection holds, including answers that the client has not taken.
    public mutating func began(bytes: Int, held: Int, processRoom: Int) -> Verdict {
        guard answering < Self.answeringMax else { return .refuse(.answering) }
        guard bytes <= processRoom else { return .refuse(.processMemory) }
        guard held + answeringBytes + bytes <= bytesMax else { return .refuse(.connectionMemory) }
        answering += 1
        answeringBytes += bytes
        return .go
    }

    /// Notes that the request's answer is ready.
    public mutating func ended(bytes: Int) {
        answering -= 1
        answeringBytes -= bytes
    }

    /// Decides whether an answer of this many bytes may wait for the client, in addition to what is held.
    public func answer(bytes: Int, held: Int, processRoom: Int) -> Verdict {
        guard bytes <= processRoom else { return .refuse(.processMemory) }
        let (sum, isOver) = held.addingReportingOverflow(bytes)
        return !isOver && sum + answeringBytes <= bytesMax ? .go : .refuse(.connectionMemory)
    }

    /// Notes the number of the connection's streams that the server has reset since it opened.
    public mutating func resets(_ count: Int, now: MonotonicInstant) -> Verdict {
        let more = count - resetsSeen
        guard more > 0 else { return .go }
        resetsSeen = count
        if let at = resetsAt {
            let passed = Double(max(0, now.nanoseconds - at.nanoseconds)) / 1e9
            resetLevel = min(Double(Self.resetBurst), resetLevel + passed * Double(Self.resetsPerSecond))
        }
        resetsAt = now
        resetLevel -= Double(more)
        return resetLevel >= 0 ? .go : .goAway(.resets)
    }
}

/// The limits on what all connections of a process may hold together; no I/O.
public struct ProcessBudget: Sendable {
    /// The bytes that may be held.
    public let bytesMax: Int
    /// The bytes that are held.
    public private(set) var held = 0
    /// The most bytes that were held at once.
    public private(set) var peak = 0

    /// The number of requests that are being answered.
    public private(set) var answering = 0
    /// The number of requests that may be answered at once.
    public let answeringMax: Int

    /// The divisor of the process's memory that gives the strangers' part.
    public static let share = 4
    /// The bytes that a request takes while it is answered, besides its own: a task and what the task waits for.
    public static let taskBytes = 32_768
    /// The number of requests that may be answered at once with however little memory.
    public static let answeringFloor = 1024

    /// A budget of a quarter of the process's memory in bytes; an eighth of the budget is for tasks that answer.
    public init(memory: Int) {
        bytesMax = max(1, memory / Self.share)
        answeringMax = max(Self.answeringFloor, bytesMax / 8 / Self.taskBytes)
    }

    /// Begins to answer a request; returns false if too many are being answered.
    public mutating func begins() -> Bool {
        guard answering < answeringMax else { return false }
        answering += 1
        return true
    }

    /// Notes that an answer is ready.
    public mutating func ends() { answering -= 1 }

    /// The bytes that still fit; negative if too many are held.
    public var room: Int { bytesMax - held }

    /// Adds to the held bytes, or subtracts from them.
    public mutating func change(by bytes: Int) {
        held += bytes
        peak = max(peak, held)
    }
}
