/// A decoder of strangers' bytes, with the invariants that must hold for any input.
///
/// `Tests/Fuzz` runs it on generated inputs, `FuzzTests` on the kept ones. A target is stateless.
public struct FuzzTarget: Sendable {
    /// The name on the command line and of the folder of its inputs.
    public let name: String
    /// Processes an input; traps when an invariant is violated.
    public let run: @Sendable ([UInt8]) -> Void

    /// All targets.
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

    /// Splits the bytes into pieces of one size, given by the first byte, because peers split anywhere; at most 64
    /// pieces.
    static func pieces(_ input: [UInt8]) -> [ArraySlice<UInt8>] {
        guard let first = input.first else { return [] }
        let size = max(first == 0 ? input.count : Int(first), input.count / 64, 1)
        return stride(from: 1, to: input.count, by: size).map { input[$0..<min($0 + size, input.count)] }
    }
}
