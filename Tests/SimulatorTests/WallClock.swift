import Glibc

/// The wall clock, for provider tokens that must be current.
enum WallClock {
    static var seconds: Int { time(nil) }
}
