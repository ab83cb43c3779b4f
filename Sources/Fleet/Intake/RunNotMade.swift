/// The reason why no worker can make a run.
struct RunNotMade: Error, CustomStringConvertible {
    let description: String
}
