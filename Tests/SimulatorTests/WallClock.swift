import Glibc

/// The wall clock, for provider tokens that must be of today.
enum WallClock {
    static var seconds: Int { time(nil) }
}
