/// The looks on the screen, and the app's own areas that take notifications.
struct LookPile: Sendable, Hashable {
    private var looks: [Look] = []
    /// Area names; a name is listed once for each of its areas on the screen.
    private var areas: [String] = []

    var isEmpty: Bool { looks.isEmpty }

    /// Puts a look on top, replacing an older one with the same id.
    mutating func put(_ look: Look) {
        take(look.id)
        looks.append(look)
    }

    /// Removes a look.
    mutating func take(_ id: String) { looks.removeAll { $0.id == id } }

    /// Notes that an area came to the screen.
    mutating func open(_ area: String) { areas.append(area) }

    /// Notes that an area left the screen; its looks are then drawn over the app.
    mutating func close(_ area: String) {
        if let index = areas.lastIndex(of: area) { areas.remove(at: index) }
    }

    /// The looks of an area.
    func looks(in area: String) -> [Look] { looks.filter { self.area(of: $0) == area } }

    /// The looks over the app, the top one last.
    var over: [Look] { looks.filter { area(of: $0) == nil } }

    /// An area that is not on the screen counts as none.
    private func area(of look: Look) -> String? {
        guard case .slideup(.area(let name)) = look.frame, areas.contains(name) else { return nil }
        return name
    }
}
