/// The small shard of the simulated couriers: some devices, as text.
struct CourierShard: Equatable, Sendable {
    var number: Int
    var attempt: Int
    var devices: [Int]

    /// The id by which a repeated publish is recognised.
    var id: String { "shard-\(number).\(attempt)" }

    var body: [UInt8] { Array("\(number) \(attempt) \(devices.map(String.init).joined(separator: ","))".utf8) }

    init(number: Int, attempt: Int, devices: [Int]) {
        self.number = number
        self.attempt = attempt
        self.devices = devices
    }

    /// Reads a body; nil for anything else.
    init?(_ body: [UInt8]) {
        let words = String(decoding: body, as: UTF8.self).split(separator: " ")
        guard words.count == 3, let number = Int(words[0]), let attempt = Int(words[1]) else { return nil }
        self.init(number: number, attempt: attempt, devices: words[2].split(separator: ",").compactMap { Int($0) })
    }
}
