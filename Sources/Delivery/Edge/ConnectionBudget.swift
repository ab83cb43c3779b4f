/// Why the edge refuses a request or ends a connection; the labels of its metric.
public enum EdgeReason: String, Sendable, CaseIterable, Hashable {
    /// The connection holds what it may.
    case connectionMemory = "connection_memory"
    /// All connections together hold what the process may.
    case processMemory = "process_memory"
    /// A request did not come to its end in time, or its answer was not taken.
    case deadline
    /// The connection said nothing.
    case idle
    /// The server had to reset too many of the connection's streams.
    case resets
    /// Too many of the connection's requests are being answered.
    case answering
    /// The address has as many connections as it may.
    case addressConnections = "address_connections"
    /// There are as many connections as there may be.
    case connections
    /// Too many requests of the process are being answered.
    case processAnswering = "process_answering"
    /// A connection could not be accepted for want of a descriptor, or of memory.
    case descriptors
    /// What a trusted proxy says of its client cannot be read.
    case proxyHeader = "proxy_header"
}

/// What one connection of the edge may make the server hold and do; no I/O.
///
/// The driver tells what is held, after each read and each answer, and does what it is told. A value of one connection,
/// confined to its loop.
public struct ConnectionBudget: Sendable {
    /// Who is at the other end.
    public enum Standing: Sendable, Equatable {
        /// Somebody who has shown no device's secret.
        case stranger
        /// A device that has.
        case device
        /// A trusted proxy with requests of many: each of its streams is bounded, and the process.
        case proxy
    }

    /// What is to be done.
    public enum Verdict: Sendable, Equatable {
        /// It fits.
        case go
        /// The request is not taken; it may be sent again (RFC 9113, section 8.7).
        case refuse(EdgeReason)
        /// The connection is told so and ended.
        case goAway(EdgeReason)
    }

    /// Bytes that a connection without a device's secret may make the server hold.
    public static let strangerBytesMax = 1 << 20
    /// The same with a device's secret.
    public static let deviceBytesMax = 8 << 20
    /// Bytes for which a stranger's connection finds room as long as anybody does: a request as an app sends it.
    public static let smallBytesMax = 1 << 16
    /// Requests of a connection that are answered at once: as many as it may have streams.
    public static let answeringMax = 256
    /// Streams that the server may have to reset at once, as many as a client may reset (Debian's default of nghttp2 is
    /// 1000, for clients that cancel; a server has less reason).
    public static let resetBurst = 200
    /// And so many a second.
    public static let resetsPerSecond = 33

    /// Who is at the other end, as far as is known.
    public private(set) var standing: Standing
    /// Requests that are being answered.
    public private(set) var answering = 0
    /// Bytes of these.
    public private(set) var answeringBytes = 0
    private var resetLevel = Double(resetBurst)
    private var resetsAt: MonotonicInstant?
    private var resetsSeen = 0

    /// The budget of a new connection.
    public init(_ standing: Standing = .stranger) { self.standing = standing }

    /// A request showed a device's secret.
    public mutating func proved() {
        if standing == .stranger { standing = .device }
    }

    /// Bytes that the connection may hold; a proxy's are bounded by its streams and by the process.
    public var bytesMax: Int {
        switch standing {
        case .stranger: Self.strangerBytesMax
        case .device: Self.deviceBytesMax
        case .proxy: .max
        }
    }

    /// What the connection's session may hold that holds so much now.
    ///
    /// Strangers fill half of the process' budget at most, but for ``smallBytesMax`` of each, so that a device that comes
    /// finds room for its first request.
    public func sessionBytesMax(_ process: ProcessBudget, held: Int) -> Int {
        var room = process.room
        if standing == .stranger {
            room = min(room, max(process.bytesMax / 2 - process.held, Self.smallBytesMax - held))
        }
        return max(0, min(bytesMax - answeringBytes, held + max(0, room)))
    }

    /// Why a connection is ended that has more than it may.
    public func reason(held: Int) -> EdgeReason {
        held + answeringBytes >= bytesMax / 2 ? .connectionMemory : .processMemory
    }

    /// A request is whole and is to be answered; it takes so many bytes until then.
    ///
    /// `held` is what the connection has, answers that are not taken included.
    public mutating func began(bytes: Int, held: Int, processRoom: Int) -> Verdict {
        guard answering < Self.answeringMax else { return .refuse(.answering) }
        guard bytes <= processRoom else { return .refuse(.processMemory) }
        guard held + answeringBytes + bytes <= bytesMax else { return .refuse(.connectionMemory) }
        answering += 1
        answeringBytes += bytes
        return .go
    }

    /// The request's answer is there.
    public mutating func ended(bytes: Int) {
        answering -= 1
        answeringBytes -= bytes
    }

    /// Whether an answer of so many bytes may wait for the client, beside what is held.
    public func answer(bytes: Int, held: Int, processRoom: Int) -> Verdict {
        guard bytes <= processRoom else { return .refuse(.processMemory) }
        let (sum, isOver) = held.addingReportingOverflow(bytes)
        return !isOver && sum + answeringBytes <= bytesMax ? .go : .refuse(.connectionMemory)
    }

    /// The server has reset so many of the connection's streams since it opened.
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

/// What all connections of a process may make it hold together; no I/O.
public struct ProcessBudget: Sendable {
    /// Bytes that may be held.
    public let bytesMax: Int
    /// Bytes that are.
    public private(set) var held = 0
    /// The most that was.
    public private(set) var peak = 0

    /// Requests that are being answered.
    public private(set) var answering = 0
    /// How many may be.
    public let answeringMax: Int

    /// The part of the process' memory that strangers may fill.
    public static let share = 4
    /// What a request takes while it is answered beside its bytes, a task and what that waits for, in bytes.
    public static let taskBytes = 32_768
    /// Requests that may be answered at once whatever the memory is.
    public static let answeringFloor = 1024

    /// A budget of a quarter of the memory that the process may have, in bytes; an eighth of that is for tasks that answer.
    public init(memory: Int) {
        bytesMax = max(1, memory / Self.share)
        answeringMax = max(Self.answeringFloor, bytesMax / 8 / Self.taskBytes)
    }

    /// A request is to be answered; false when too many are.
    public mutating func begins() -> Bool {
        guard answering < answeringMax else { return false }
        answering += 1
        return true
    }

    /// An answer is there.
    public mutating func ends() { answering -= 1 }

    /// Bytes that still fit; negative when there are too many.
    public var room: Int { bytesMax - held }

    /// More is held, or less.
    public mutating func change(by bytes: Int) {
        held += bytes
        peak = max(peak, held)
    }
}
