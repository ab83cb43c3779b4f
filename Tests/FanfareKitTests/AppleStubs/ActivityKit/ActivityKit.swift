// swift-format-ignore-file
// The calls that FanfareKit makes to Apple's ActivityKit, as its interface declares them for iOS: signatures and
// isolation, no behaviour. The whole module is newer than iOS 15: the kit's calls stand in an extension of its version.
@_exported import Foundation

public protocol ActivityAttributes: Decodable, Encodable {
    associatedtype ContentState: Decodable, Encodable, Hashable
}

public enum ActivityState: Codable, Equatable, Hashable, Sendable {
    case active, ended, dismissed, stale, pending
}

// Safety: a stub without state.
public class Activity<Attributes: ActivityAttributes>: Identifiable, @unchecked Sendable {
    public var id: String { fatalError() }
    public var attributes: Attributes { fatalError() }
    public var pushToken: Data? { fatalError() }
    public var pushTokenUpdates: PushTokenUpdates { fatalError() }
    public var activityStateUpdates: ActivityStateUpdates { fatalError() }
    public static var activities: [Activity<Attributes>] { fatalError() }
    public static var activityUpdates: ActivityUpdates { fatalError() }
    public static var pushToStartToken: Data? { fatalError() }
    public static var pushToStartTokenUpdates: PushTokenUpdates { fatalError() }

    public struct PushTokenUpdates: AsyncSequence, Sendable {
        public struct Iterator: AsyncIteratorProtocol {
            public mutating func next() async -> Data? { fatalError() }
        }
        public func makeAsyncIterator() -> Iterator { fatalError() }
    }

    public struct ActivityStateUpdates: AsyncSequence, Sendable {
        public struct Iterator: AsyncIteratorProtocol {
            public mutating func next() async -> ActivityState? { fatalError() }
        }
        public func makeAsyncIterator() -> Iterator { fatalError() }
    }

    public struct ActivityUpdates: AsyncSequence, Sendable {
        public struct Iterator: AsyncIteratorProtocol {
            public mutating func next() async -> Activity<Attributes>? { fatalError() }
        }
        public func makeAsyncIterator() -> Iterator { fatalError() }
    }
}
