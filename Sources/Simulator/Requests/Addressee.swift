/// The device that a message is for.
struct Addressee {
    let key: DeviceTokenKey
    /// The token as written, for rules that match its beginning; nil when the key contains it.
    var text: ArraySlice<UInt8>?
    /// True if only the answer is wanted, not the message: nothing is counted for the device.
    var isDryRun = false
}
