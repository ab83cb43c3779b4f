/// A law that is none, for the test of what follows when one is broken: the push service may not close its connections.
enum PlantedLaw {
    /// Has an observer ask for the law, too.
    static func plant(in provider: PushService, _ observer: Observer) {
        provider.leaving = { observer.broke("the push service sends GOAWAY") }
    }
}
