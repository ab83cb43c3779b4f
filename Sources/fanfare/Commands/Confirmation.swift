import Campaigns
import Operations

/// The question before something that cannot be undone.
enum Confirmation {
    /// Asks for `y`; throws if the answer is another, or with `refusal` if there is no terminal to ask.
    static func ask(_ question: String, refusal: String) throws {
        guard Terminal.isInputTerminal else { throw CommandFailure(.usage, refusal) }
        Terminal.writeError("\(question) [y/N] ")
        guard readLine() == "y" else { throw FanfareExit.failed }
    }
}
