import Campaigns

/// Device tokens, the same ones in every run: SplitMix64 (Steele, Lea, Flood 2014), so that two runs can be compared.
package struct MadeUpTokens {
    private var state: UInt64

    /// Starts the tokens of a seed.
    package init(seed: UInt64 = 0) {
        state = 0x0FA4_FA2E &+ seed &* 0xD1B5_4A32_D192_ED03
    }

    /// Returns an APNs token: 64 hexadecimal digits.
    package mutating func apns() -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for _ in 0..<4 {
            let word = nextWord()
            for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift * 8))) }
        }
        return Hexadecimal.text(bytes)
    }

    /// Returns an FCM registration token of 163 characters, in the current form of Google's.
    package mutating func fcm() -> String {
        let text = apns() + apns() + apns()
        return "\(text.prefix(22)):APA91b\(text.dropFirst(22).prefix(134))"
    }

    private mutating func nextWord() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
