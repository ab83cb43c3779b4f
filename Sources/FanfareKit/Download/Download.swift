import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The reason why a file could not be fetched.
public enum DownloadProblem: Error, Sendable, Hashable {
    /// The file is larger than the limit.
    case tooLarge
    /// The file did not arrive in time.
    case tooSlow
    /// The file has a type that cannot be used.
    case wrongType(String)
    /// The server answered with this status.
    case refused(Int)
    /// The server was not reached, or the file could not be written; carries the system's message.
    case failed(String)
}

/// Fetches one file straight to the disk, within limits of size and time.
///
/// May be used from any task; ends at once when its task is cancelled.
struct Download: Sendable {
    /// The largest file in bytes.
    var bytesMax: Int
    /// The seconds for the whole download.
    var seconds: TimeInterval

    /// Fetches a file to `target`, which exists afterwards only on success; returns its content type without
    /// parameters.
    func fetch(_ url: URL, to target: URL) async throws(DownloadProblem) -> String {
        let part = target.appendingPathExtension("part-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: part) }
        do {
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data().write(to: part)
            let type = try await receive(url, FileHandle(forWritingTo: part))
            try? FileManager.default.removeItem(at: target)
            try FileManager.default.moveItem(at: part, to: target)
            return type
        } catch let problem as DownloadProblem {
            throw problem
        } catch {
            throw .failed(error.localizedDescription)
        }
    }

    private func receive(_ url: URL, _ file: FileHandle) async throws -> String {
        let receiver = Receiver(file, bytesMax: bytesMax)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = seconds
        configuration.timeoutIntervalForResource = seconds
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: url)
        // On some platforms the system's own limits apply to pauses between bytes, not to the whole download.
        let limit = UInt64(max(0, seconds) * 1e9)
        let alarm = Task {
            try await Task.sleep(nanoseconds: limit)
            receiver.giveUp(.tooSlow)
            task.cancel()
        }
        defer { alarm.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                receiver.begin(continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }
}

/// Writes the bytes of one response to a file.
///
/// Safety: mutable state changes under the lock; only the session's serial queue touches the file.
private final class Receiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private let file: FileHandle
    private let bytesMax: Int
    private var received = 0
    private var type = ""
    private var problem: DownloadProblem?
    private var continuation: CheckedContinuation<String, any Error>?

    init(_ file: FileHandle, bytesMax: Int) {
        self.file = file
        self.bytesMax = bytesMax
    }

    func begin(_ continuation: CheckedContinuation<String, any Error>) {
        lock.withLock { self.continuation = continuation }
    }

    /// Records the first reason and ignores later ones.
    func giveUp(_ reason: DownloadProblem) { lock.withLock { problem = problem ?? reason } }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        let plain = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "content-type") ?? ""
        lock.withLock { type = plain.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() }
        if status != 200 { giveUp(.refused(status)) }
        if response.expectedContentLength > Int64(bytesMax) { giveUp(.tooLarge) }
        completionHandler(lock.withLock { problem } == nil ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard lock.withLock({ problem }) == nil else { return }
        received += data.count
        do {
            guard received <= bytesMax else { throw DownloadProblem.tooLarge }
            try file.write(contentsOf: data)
        } catch {
            giveUp(error as? DownloadProblem ?? .failed(error.localizedDescription))
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        try? file.close()
        let found = error.map { error in
            (error as? URLError)?.code == .timedOut ? DownloadProblem.tooSlow : .failed(error.localizedDescription)
        }
        let (waiting, outcome) = lock.withLock {
            defer { continuation = nil }
            return (continuation, (problem ?? found).map { Result<String, any Error>.failure($0) } ?? .success(type))
        }
        waiting?.resume(with: outcome)
    }
}
