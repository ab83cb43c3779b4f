import Delivery

/// What a loop says of itself when somebody asks; nothing is counted for it while it sends.
extension SenderLoop {
    var figures: SenderFigures {
        var figures = SenderFigures()
        figures.providers = ended
        for sender in Array(endpoints.values) + retiring {
            figures.providers[ProviderFigures.Key(sender.account), default: ProviderFigures()].add(sender.pool)
        }
        figures.unflushed = runs.unflushed
        figures.unflushedMax = runs.unflushedMax
        figures.runs = runs.runCount
        return figures
    }
}
