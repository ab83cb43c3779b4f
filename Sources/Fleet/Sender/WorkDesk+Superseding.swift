import Campaigns
import Delivery
import Store

/// What the campaign that takes another's place waits for.
extension WorkDesk {
    /// Writes down which runs of superseded campaigns open no stream any more, although they may wait for answers.
    ///
    /// Asked on the loops after they were told to stop.
    func tellStopped(_ keys: [ShardKey]) {
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
