import Glibc
import NIOCore

extension SocketAddress {
    /// The bytes of an IP address in network byte order; empty for anything else.
    var networkBytes: [UInt8] {
        guard let text = ipAddress else { return [] }
        let (family, count) = self.protocol == .inet ? (AF_INET, 4) : (AF_INET6, 16)
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : []
    }
}
