import Campaigns
import Sanitizers
import Testing

@Suite("Instants")
struct TimestampTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-11-20T19:55:00.120Z", 1_795_204_500_120),
            ("2026-11-20T20:55:00.120+01:00", 1_795_204_500_120),
            ("2026-11-20T14:25:00.12-05:30", 1_795_204_500_120),
            ("2026-11-20t19:55:00.120999z", 1_795_204_500_120),
            ("2000-02-29T23:59:59.999Z", 951_868_799_999),
            ("1969-12-31T23:59:59.999Z", -1),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000),
        ] as [(String, Int64)]
    )
    func `an RFC 3339 text is its instant`(text: String, milliseconds: Int64) throws {
        #expect(try Timestamp(rfc3339: text).milliseconds == milliseconds)
    }

    @Test(arguments: [
        ("2026-11-20T19:55:00", TimestampFormatError.missingOffset),
        ("2026-11-20T19:55:00.5", .missingOffset),
        ("2026-02-29T00:00:00Z", .outOfRange),
        ("1900-02-29T00:00:00Z", .outOfRange),
        ("2026-04-31T00:00:00Z", .outOfRange),
        ("2026-13-01T00:00:00Z", .outOfRange),
        ("2026-00-01T00:00:00Z", .outOfRange),
        ("2026-01-00T00:00:00Z", .outOfRange),
        ("2026-01-01T24:00:00Z", .outOfRange),
        ("2026-01-01T00:60:00Z", .outOfRange),
        ("2026-01-01T00:00:61Z", .outOfRange),
        ("2026-01-01T00:00:00+24:00", .outOfRange),
        ("2026-01-01 00:00:00Z", .malformed),
        ("2026-01-01", .malformed),
        ("2026-01-01T00:00Z", .malformed),
        ("2026-01-01T00:00:00.Z", .malformed),
        ("2026-01-01T00:00:00Zulu", .malformed),
        ("2026-01-01T00:00:00+0100", .malformed),
        ("1795204500", .malformed),
        ("", .malformed),
        ("２０２６-01-01T00:00:00Z", .malformed),
    ])
    func `another text is refused with its reason`(text: String, reason: TimestampFormatError) {
        #expect(throws: reason) { try Timestamp(rfc3339: text) }
    }

    @Test func `formatting and reading give the same instant on every day of nine centuries`() throws {
        for day in stride(from: -200_000, through: 130_000, by: 330_000 / Sanitizer.rounds(330_000)) {
            let instant = Timestamp(milliseconds: Int64(day) * 86_400_000 + Int64(abs(day)) * 7919 % 86_400_000)
            #expect(try Timestamp(rfc3339: instant.rfc3339) == instant)
        }
    }

    @Test func `formatting beyond the format's years stays at its ends`() {
        #expect(Timestamp(milliseconds: .max).rfc3339 == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp(milliseconds: .min).rfc3339 == "0000-01-01T00:00:00.000Z")
    }
}
