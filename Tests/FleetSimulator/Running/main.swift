// The drivers of the fleet from one seed; see Deploy/fleet-simulate.sh.

import CSimulatedProcess
import TLS

#if canImport(Glibc)
import Glibc
#endif

let arguments = CommandLine.arguments.dropFirst()
let options = Set(arguments.filter { $0.hasPrefix("--") })
let numbers = arguments.compactMap { UInt64($0) }
// The planted law is for the tests of the shrinking.
let known: Set = ["--trace", "--no-shrink", "--couriers", "--planted-law"]
guard let first = numbers.first, numbers.count <= 2, options.isSubset(of: known) else {
    print("usage: fleet-simulate SEED [COUNT] [--couriers] [--trace] [--no-shrink]")
    exit(2)
}
guard simulated_process_is_possible() else {
    print("this build cannot simulate: it has a sanitizer, or is not for Linux")
    exit(77)
}
let workers: SeedRun.Workers
// Fixed names in it are opened by one child at a time.
let folder = "/tmp/fleet-simulate-\(getpid())"
if options.contains("--couriers") {
    workers = .couriers(try TLSClientContext())
} else {
    mkdir(folder, 0o700)
    workers = .fleet(folder: folder)
}
let run = SeedRun(
    workers: workers,
    isPrinted: options.contains("--trace"),
    hasPlantedLaw: options.contains("--planted-law")
)
let seeds = first..<first + (numbers.count == 2 ? numbers[1] : 1)
var broken = 0
for seed in seeds {
    let plan = Plan(seed: seed)
    guard !run.passes(plan, isQuiet: false) else { continue }
    broken += 1
    if options.contains("--no-shrink") { continue }
    let smallest = Shrinking.smallest(of: plan, in: run)
    print("smallest: \(smallest)")
    for fault in smallest.faults { print("  \(fault)") }
    _ = run.passes(smallest, isQuiet: false)
    let kind = options.contains("--couriers") ? " --couriers" : ""
    print("again: Deploy/fleet-simulate.sh --seed \(seed)\(kind)")
}
for name in ["apps.yaml", "fanfare.yaml", "ca.pem", FleetFiles.keyFile, "ledger.db", "ledger.db.lock"] {
    unlink("\(folder)/\(name)")
}
rmdir(folder)
if seeds.count > 1 { print("\(seeds.count) seeds, \(broken) broken") }
exit(broken == 0 ? 0 : 1)
