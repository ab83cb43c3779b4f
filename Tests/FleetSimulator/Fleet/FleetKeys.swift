import Foundation

/// The key and the certificate of a simulated fleet, which are good for nothing else.
extension FleetFiles {
    /// The provider token's key: PKCS #8 of the scalar that is 32 times 7, on the curve P-256.
    ///
    /// The same one in each process, because the signatures are part of what goes over the wire.
    static var key: String {
        let algorithm: [UInt8] = [0x30, 0x13, 0x06, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]
        let curve: [UInt8] = [0x06, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]
        let scalar: [UInt8] = [0x04, 0x27, 0x30, 0x25, 2, 1, 1, 0x04, 0x20] + [UInt8](repeating: 7, count: 32)
        let content: [UInt8] = [2, 1, 0] + algorithm + curve + scalar
        let text = Data([0x30, UInt8(content.count)] + content).base64EncodedString(options: .lineLength64Characters)
        let kind = "PRIVATE" + " KEY"
        return "-----BEGIN \(kind)-----\n\(text)\n-----END \(kind)-----\n"
    }

    /// The authority of the provider, whose connections leave out TLS.
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBkjCCATmgAwIBAgIUB9mUih7r951Xz65bY4kLsPafl+swCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTc2ltdWxhdGVkIGF1dGhvcml0eTAgFw0yNjExMjgyMjAxNDNa
        GA8yMTI2MTEwNDIyMDE0M1owHjEcMBoGA1UEAwwTc2ltdWxhdGVkIGF1dGhvcml0
        eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNd8xAoszAw73H0ZW3TYwnOOhmWm
        /vmneaQnLtPazZWtjduLM8psAB6zGMB7oCFjhGgqp+uk2DMbVFblOFjpyXWjUzBR
        MB0GA1UdDgQWBBRJ90i4NWwGRGXwTpmx/7EU5OyjyjAfBgNVHSMEGDAWgBRJ90i4
        NWwGRGXwTpmx/7EU5OyjyjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cA
        MEQCICRTukE/wj5ixEPGpX6JtfVH09IloMqJ7wd+qpxPHXAZAiAHHWfbZThCKtHi
        zN9nQfKhjV9cQKKY3nG6NrOx/aIKoA==
        -----END CERTIFICATE-----

        """
}
