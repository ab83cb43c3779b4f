import Foundation

extension Process {
    /// Starts a process that receives signals.
    ///
    /// Threads of the runtime block nearly all signals, and children inherit that: epmd would not end on SIGTERM, and a
    /// shell would not notice the end of its child.
    func runTakingSignals() throws {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
