/// Reads `audience`: exactly one selector, and never everybody by accident.
struct AudienceDecoder {
    private let reader: ObjectReader
    private let selectors: [String]

    static let devicesMax = 10_000
    static let urgentDevicesMax = 1_000

    init?(_ value: JSONValue, at pointer: JSONPointer, _ log: ProblemLog) {
        guard let reader = ObjectReader(value, at: pointer, JobFields.audience, log) else { return nil }
        self.reader = reader
        let members = value.members ?? []
        selectors = ["devices", "list", "users", "segment", "everyone"].filter { selector in
            members.contains { $0.name == selector && !($0.name == "everyone" && $0.value == false) }
        }
    }

    func audience(isUrgent: Bool, isStored: Bool) -> Audience? {
        if selectors.count > 1 {
            let found = selectors.joined(separator: ", ")
            reader.log.refuse(
                .conflict,
                at: reader.pointer,
                "audience has more than one selector: \(found)",
                mend: "keep exactly one"
            )
        }
        if selectors.isEmpty {
            reader.log.refuse(
                .empty,
                at: reader.pointer,
                "audience names nobody, which never means everybody",
                mend: "give devices or list"
            )
        }
        if reader.has("list") { return list() }
        if reader.has("devices") { return devices(isUrgent: isUrgent, isStored: isStored) }
        return nil
    }

    private func list() -> Audience? {
        guard let text = reader.text("list") else { return nil }
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy(JobIdentity.isID) else {
            reader.log.refuse(
                .format,
                at: reader.pointer.appending("list"),
                "list must be name or name@version, each 1 to 128 of the characters A-Z a-z 0-9 . _ : -"
            )
            return nil
        }
        return .list(name: parts[0], version: parts.count > 1 ? parts[1] : nil)
    }

    private func devices(isUrgent: Bool, isStored: Bool) -> Audience? {
        guard let elements = reader.array("devices", countMax: .max) else { return nil }
        let place = reader.pointer.appending("devices")
        if elements.isEmpty, !isStored {
            reader.log.refuse(.empty, at: place, "devices is empty", mend: "name at least one device")
        }
        let countMax = isUrgent ? AudienceDecoder.urgentDevicesMax : AudienceDecoder.devicesMax
        if elements.count > countMax {
            reader.log.refuse(
                .tooMany,
                at: place,
                "devices has \(elements.count) entries, at most \(countMax) are allowed"
                    + (isUrgent ? " in an urgent job" : ""),
                mend: "put them into a list and give its name"
            )
            return nil
        }
        var devices: [Device] = []
        devices.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            if let device = DeviceDecoder.device(element, at: place.appending(index), reader.log) {
                devices.append(device)
            }
        }
        warnOfDuplicates(devices, at: place)
        return .devices(devices)
    }

    private func warnOfDuplicates(_ devices: [Device], at place: JSONPointer) {
        let distinct = Set(devices.map { [$0.provider.rawValue, $0.token] }).count
        guard distinct < devices.count else { return }
        reader.log.warn(
            .duplicateDevice,
            at: place,
            "\(devices.count - distinct) of \(devices.count) devices are repeats; each device is sent to once"
        )
    }
}
