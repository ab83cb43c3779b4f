/// SplitMix64 (Steele, Lea, Flood 2014).
///
/// The same seed gives the same sequence on every machine, so that a failing run can be repeated.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates the sequence of a seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// Returns the next number of the sequence.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to below `bound`; 0 for a bound of 0.
    public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

    /// Returns a number from 0 to below 1.
    public mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns true with this probability; draws nothing for 0.
    public mutating func chance(_ probability: Double) -> Bool { probability > 0 && fraction() < probability }
}
