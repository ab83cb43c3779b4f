#if canImport(Glibc)
import Glibc
#endif

// The whole fleet's drivers from one seed; see Deploy/fleet-simulate.sh.

let arguments = CommandLine.arguments.dropFirst()
let isTraced = arguments.contains("--trace")
let numbers = arguments.compactMap { UInt64($0) }
guard let first = numbers.first, numbers.count <= 2 else {
    print("usage: fleet-simulate SEED [COUNT] [--trace]")
    exit(2)
}
let seeds = first..<first + (numbers.count == 2 ? numbers[1] : 1)
var broken = 0
for seed in seeds {
    let plan = Plan(seed: seed)
    guard !SeedRun.passes(plan, isPrinted: isTraced, isQuiet: false) else { continue }
    broken += 1
    if arguments.contains("--no-shrink") { continue }
    let smallest = Shrinking.smallest(of: plan)
    print("smallest: \(smallest.workers) workers, \(smallest.shards) shards of \(smallest.devicesPerShard), faults:")
    for fault in smallest.faults { print("  \(fault)") }
    _ = SeedRun.passes(smallest, isPrinted: false, isQuiet: false)
    print("again: Deploy/fleet-simulate.sh --seed \(seed)")
}
if seeds.count > 1 { print("\(seeds.count) seeds, \(broken) broken") }
exit(broken == 0 ? 0 : 1)
