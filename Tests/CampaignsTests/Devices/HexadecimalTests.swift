import Campaigns
import Testing

@Suite struct HexadecimalTests {
    /// The digits that the standard library knows; it is slower.
    private static func value(_ character: UInt8) -> UInt8? {
        UInt8(String(UnicodeScalar(character)), radix: 16)
    }

    @Test func `each character has its value in either half of a byte, and what is not a digit is refused`() {
        for character in UInt8.min...UInt8.max {
            let value = Self.value(character)
            #expect(Hexadecimal.bytes([character, 0x30]) == value.map { [$0 << 4] })
            #expect(Hexadecimal.bytes([0x66, character]) == value.map { [0xF0 | $0] })
            #expect([character, 0x30].withUnsafeBufferPointer(Hexadecimal.areDigits) == (value != nil))
        }
    }

    @Test func `bytes become digits and are the same bytes again`() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hexadecimal.text(bytes)
        #expect(Hexadecimal.bytes(text.utf8) == bytes)
        #expect(Hexadecimal.bytes(text.uppercased().utf8) == bytes)
        // A sequence that is not one piece of memory.
        #expect(Hexadecimal.bytes(Array(text.utf8.reversed()).reversed()) == bytes)
        #expect(Hexadecimal.bytes([]) == [])
        #expect(Hexadecimal.bytes("0a1".utf8) == nil)
    }
}
