import CFuzzer
import Foundation
import FuzzTargets

// libFuzzer's driver on the target that FANFARE_FUZZ_TARGET names; the arguments are libFuzzer's.
let wanted = ProcessInfo.processInfo.environment["FANFARE_FUZZ_TARGET"] ?? ""
guard FuzzTarget.all.contains(where: { $0.name == wanted }) else {
    print("FANFARE_FUZZ_TARGET is one of \(FuzzTarget.all.map(\.name).joined(separator: " "))")
    exit(64)
}

/// The target, read once: the callback is C and captures nothing.
enum Chosen {
    static let target = FuzzTarget.all.first { $0.name == ProcessInfo.processInfo.environment["FANFARE_FUZZ_TARGET"] }
}

/// The entry point; libFuzzer looks for this name in addition to the given callback.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Chosen.target?.run([UInt8](UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&count, &arguments) { testOneInput($0, $1) })
