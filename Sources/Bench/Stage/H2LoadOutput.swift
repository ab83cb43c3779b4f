/// The summary that `h2load` prints.
struct H2LoadOutput: Equatable {
    /// Requests a second.
    let rate: Double
    /// Requests to be made.
    let total: Int
    /// Requests answered 2xx or 3xx.
    let succeeded: Int

    /// Parses a text; nil without the lines that h2load 1.52 prints.
    init?(_ text: String) {
        let lines = text.split(separator: "\n")
        // finished in 1.23s, 405063.38 req/s, 12.34MB/s
        guard let finished = lines.first(where: { $0.hasPrefix("finished in ") }),
            let rate = finished.split(separator: ",").compactMap({ Self.number(in: $0, before: "req/s") }).first,
            // requests: 9 total, 9 started, 9 done, 9 succeeded, 0 failed, 0 errored, 0 timeout
            let requests = lines.first(where: { $0.hasPrefix("requests: ") })?.dropFirst("requests: ".count)
        else { return nil }
        let counts = requests.split(separator: ",")
        guard let total = counts.compactMap({ Self.number(in: $0, before: "total") }).first,
            let succeeded = counts.compactMap({ Self.number(in: $0, before: "succeeded") }).first
        else { return nil }
        self.rate = rate
        self.total = Int(total)
        self.succeeded = Int(succeeded)
    }

    private static func number(in text: Substring, before unit: String) -> Double? {
        let words = text.split(separator: " ")
        guard words.count == 2, words[1] == unit, let number = Double(words[0]), (0...1e15).contains(number) else {
            return nil
        }
        return number
    }
}
