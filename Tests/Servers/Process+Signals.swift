import Foundation

extension Process {
    /// Starts a process that takes signals.
    ///
    /// Threads of the runtime block nearly all of them and children inherit that: epmd would not end by SIGTERM, and a
    /// shell would not hear of the end of what it waits for.
    func runTakingSignals() throws {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
