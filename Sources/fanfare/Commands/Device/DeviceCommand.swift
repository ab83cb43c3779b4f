import ArgumentParser
import Campaigns
import Operations
import Store

/// The commands about the registry's devices.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Devices in the registry, with the facts that segments use.",
        subcommands: [Add.self, Show.self, Import.self, Export.self, Forget.self, Trace.self]
    )
}

/// The app whose devices a command is about.
struct RegistryApp: ParsableArguments {
    @Option(help: "The app.")
    var app: String

    func validate() throws {
        guard NameRule.isApp(app) else {
            throw ValidationError("--app is 1 to 128 of the characters A-Z a-z 0-9 . _ -")
        }
    }
}

/// The devices that a person names: one installation, or all of a user.
struct DeviceChoice: ParsableArguments {
    @Argument(help: "The installation's id.")
    var id: String?

    @Option(help: "All devices of this user.")
    var user: String?

    func validate() throws {
        guard (id == nil) != (user == nil) else { throw ValidationError("name one device by its id, or a --user") }
    }

    /// Returns the devices; throws when there is none.
    func devices(app: String, in ledger: Ledger) async throws -> [RegisteredDevice] {
        let (id, user) = (id, user)
        let found = try await ledger.read { reader in
            if let user { return try reader.devices(app: app, user: user) }
            return try [reader.device(app: app, installation: id ?? "")].compactMap { $0 }
        }
        guard !found.isEmpty else {
            let what = id.map { "no device \($0)" } ?? "no device of the user \(user ?? "")"
            throw CommandFailure(.notFound, "the registry of \(app) has \(what)")
        }
        return found
    }
}
