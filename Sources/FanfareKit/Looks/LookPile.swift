/// Looks that are on the screen, and areas of the app's own that take notifications.
struct LookPile: Sendable, Hashable {
    private var looks: [Look] = []
    /// One that stands twice is on the screen twice.
    private var areas: [String] = []

    var isEmpty: Bool { looks.isEmpty }

    /// Puts a look on top, in place of an older one of the same thing.
    mutating func put(_ look: Look) {
        take(look.id)
        looks.append(look)
    }

    /// Takes a look away.
    mutating func take(_ id: String) { looks.removeAll { $0.id == id } }

    /// An area came to the screen.
    mutating func open(_ area: String) { areas.append(area) }

    /// An area left the screen; what was drawn in it is drawn over the app.
    mutating func close(_ area: String) {
        if let place = areas.lastIndex(of: area) { areas.remove(at: place) }
    }

    /// The looks of an area.
    func looks(in area: String) -> [Look] { looks.filter { self.area(of: $0) == area } }

    /// The looks over the app, the top one last.
    var over: [Look] { looks.filter { area(of: $0) == nil } }

    /// An area that nobody draws in counts as none.
    private func area(of look: Look) -> String? {
        guard case .slideup(.area(let name)) = look.frame, areas.contains(name) else { return nil }
        return name
    }
}
