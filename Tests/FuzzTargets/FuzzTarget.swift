/// A decoder that takes bytes of strangers, with what must hold whatever they are.
///
/// `Tests/Fuzz` runs it on made-up inputs, `FuzzTests` on those that are kept. A target is stateless.
public struct FuzzTarget: Sendable {
    /// What it is called on the command line, and the folder of its inputs.
    public let name: String
    /// Takes an input; traps where something does not hold.
    public let run: @Sendable ([UInt8]) -> Void

    /// All of them.
    public static let all: [FuzzTarget] = [
        FuzzTarget(name: "job", run: jobDecoder), FuzzTarget(name: "shard", run: shardCodec),
        FuzzTarget(name: "amqp", run: amqpSession), FuzzTarget(name: "http2-client", run: http2Client),
        FuzzTarget(name: "http2-server", run: http2Server), FuzzTarget(name: "answer", run: providerAnswer),
        FuzzTarget(name: "csv", run: csvReader), FuzzTarget(name: "ndjson", run: ndjsonReader),
        FuzzTarget(name: "template", run: templates),
        FuzzTarget(name: "segment", run: segmentParser), FuzzTarget(name: "subscription", run: subscription),
        FuzzTarget(name: "tracking", run: tracking), FuzzTarget(name: "tracking-batch", run: trackingBatch),
        FuzzTarget(name: "proxy-header", run: proxyHeader), FuzzTarget(name: "forwarded", run: forwarded),
    ]

    /// The bytes in pieces of one size, which the first byte says: peers cut where they like; 64 pieces at most.
    static func pieces(_ input: [UInt8]) -> [ArraySlice<UInt8>] {
        guard let first = input.first else { return [] }
        let size = max(first == 0 ? input.count : Int(first), input.count / 64, 1)
        return stride(from: 1, to: input.count, by: size).map { input[$0..<min($0 + size, input.count)] }
    }
}
