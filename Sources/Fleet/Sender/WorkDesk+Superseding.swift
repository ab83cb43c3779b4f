import Campaigns
import Delivery
import Store

/// What the campaign that takes another's place waits for.
extension WorkDesk {
    /// Writes down which runs of superseded campaigns open no stream any more, although they may wait for answers.
    ///
    /// Asked on the loops after they were told to stop.
    func tellStopped(of campaigns: Set<UInt32>) {
        let keys = running.runningKeys.filter { campaigns.contains($0.campaign) }
        guard !keys.isEmpty else { return }
        let ledger = ledger
        for handle in loops {
            handle.execute { sender in
                let stopped = sender.stopped(keys)
                guard !stopped.isEmpty else { return }
                // Lost, it is written again at the next look at the ledger.
                ledger.submit(.normal) {
                    try $0.markStopped(stopped)
                } completion: { _ in
                }
            }
        }
    }
}
