import Campaigns
import Delivery
import HTTP2
import PushProviders

/// Renders the bodies of a shard's devices, and their collapse ids where these are templates.
///
/// A body costs no allocation; each distinct collapse id costs a header block of its own. Confined to its loop.
final class PersonalBody {
    private let requests: PreparedRequests
    private let renderer: TemplateRenderer?
    private let collapseID: TemplateRenderer?
    private let collapseHeader: [UInt8]?
    private let standardHeaders: PreparedHeaders
    private var headersByID: [[UInt8]: PreparedHeaders] = [:]
    /// The headers of the last rendered device.
    private(set) var headers: PreparedHeaders

    init(
        _ personal: PersonalRequests,
        _ requests: PreparedRequests,
        _ headers: PreparedHeaders,
        _ batch: DeviceBatch
    ) {
        self.requests = requests
        self.headers = headers
        standardHeaders = headers
        renderer = personal.body.map { TemplateRenderer($0, batch, bytesMax: personal.bodyBytesMax) }
        // The limit leaves room to detect an id that is too long.
        collapseID = personal.collapseID.map {
            TemplateRenderer($0, batch, bytesMax: personal.collapseIDBytesMax)
        }
        collapseHeader = personal.collapseHeader
    }

    /// Renders a device's request; returns nil on success, else the reason why the device gets none.
    func render(_ position: Int) -> LeftOut? {
        guard let renderer else { return .invalidTemplate }
        if let failure = renderer.render(position) { return LeftOut(failure) }
        guard let collapseID else { return nil }
        if let failure = collapseID.render(position) {
            return failure == .tooLarge ? .invalidCollapseID : LeftOut(failure)
        }
        guard let collapseHeader else { return nil }
        guard PersonalRequests.isHeaderValue(collapseID.bytes) else { return .invalidCollapseID }
        let value = Array(collapseID.bytes)
        headers = value.isEmpty ? standardHeaders : headersByID[value] ?? prepared(value, for: collapseHeader)
        return nil
    }

    private func prepared(_ value: [UInt8], for header: [UInt8]) -> PreparedHeaders {
        let headers = PreparedHeaders(requests, replacing: header, with: value)
        headersByID[value] = headers
        return headers
    }

    /// The body of the last rendered device; valid until the next one.
    var bytes: UnsafeRawBufferPointer { renderer?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0) }

    /// The room for the message id in that body.
    var messageID: UnsafeMutableRawBufferPointer? { renderer?.messageID }
}
