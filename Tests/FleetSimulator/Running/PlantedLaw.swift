/// A law that is none, for the test of what follows when one is broken: the push service may say 503 twice.
enum PlantedLaw {
    /// The status and the times that it may be answered.
    private static let status = 503
    private static let most = 2

    /// Has an observer ask for the law, too.
    static func plant(in provider: PushService, _ observer: Observer) {
        let answered = provider.answered
        var count = 0
        provider.answered = { push, status in
            answered(push, status)
            count += status == Self.status ? 1 : 0
            observer.broke("the push service says 503 again", if: count > most)
        }
    }
}
