import Delivery

extension FuzzTarget {
    /// Reads the beginning of a connection: the result does not depend on how it is split, and no header exceeds its
    /// limit.
    static func proxyHeader(_ input: [UInt8]) {
        let whole = ProxyHeader(input)
        // Each length up to the fixed part, and some beyond it.
        let lengths = Array(0...min(input.count, 20)) + stride(from: 20, to: input.count, by: max(1, input.count / 16))
        for length in lengths where length <= input.count {
            let part = ProxyHeader(input.prefix(length))
            switch whole {
            case .header(let bytes, let client):
                precondition(length >= bytes ? part == whole : part == .partial, "cut at \(length): \(part)")
                precondition(bytes <= 16 + ProxyHeader.payloadMax && bytes <= input.count, "longer than it may be")
                if let client { same(client) }
            case .partial: precondition(part == .partial, "cut at \(length): \(part)")
            case .absent, .malformed: precondition(part == .partial || part == whole, "cut at \(length): \(part)")
            }
        }
    }

    /// Finds the client behind trusted proxies: it is one address, whatever a stranger puts in front of their fields.
    static func forwarded(_ input: [UInt8]) {
        let lines = String(decoding: input, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let texts = lines.map(String.init)
        // A mark says to which of the two fields a line belongs.
        let own = texts.filter { $0.hasPrefix("x") }.map { String($0.dropFirst()) }
        let standard = texts.filter { !$0.hasPrefix("x") }
        for peer in [proxy, stranger] {
            let client = who(peer, standard, own)
            same(client)
            if peer == stranger { precondition(client == stranger, "a stranger's word is believed") }
            guard !trusted.contains(client) else { continue }
            let invented = "for=203.0.113.9, for=198.51.100.1"
            if standard.isEmpty {
                precondition(own.isEmpty || who(peer, [], ["203.0.113.9"] + own) == client, "an invention is believed")
            } else {
                precondition(who(peer, [invented] + standard, own) == client, "an invention is believed")
            }
        }
        let (proxies, refused) = TrustedProxies.read(texts)
        precondition(refused.count <= texts.count && (!proxies.isEmpty || refused.count == texts.count), "lost ranges")
    }

    private static let trusted = TrustedProxies.read(["10.0.0.0/8", "2001:db8::/32"]).proxies
    private static let proxy = four(10, 0, 0, 1)
    private static let stranger = four(192, 0, 2, 1)

    private static func four(_ bytes: UInt8...) -> ClientAddress {
        guard let address = ClientAddress(bytes: bytes) else { preconditionFailure("four bytes are an address") }
        return address
    }

    private static func who(_ peer: ClientAddress, _ standard: [String], _ own: [String]) -> ClientAddress {
        ForwardedClient.address(peer: peer, forwarded: standard, xForwardedFor: own, trusted: trusted)
    }

    /// Checks that the printed address is read as the same address.
    private static func same(_ address: ClientAddress) {
        precondition(ClientAddress(address.description) == address, "\(address) is another one")
        precondition(address.network.network == address.network, "the network of a network")
    }
}
