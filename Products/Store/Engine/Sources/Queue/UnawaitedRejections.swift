import TenonCore
import TenonFoundation
import TenonStoreInterop

/// Reports the rejections that no caller receives as an error: to the app's handler, or in the log.
///
/// A rejection is reported once, in the order in which this is called. Thread-safe.
package final class UnawaitedRejections: Sendable {
  package typealias Handler = @Sendable (RejectedWrite) async -> Void

  /// The handler, and the task of its newest call, which the next call waits for.
  private struct State {
    var handler: Handler?
    var newest: Task<Void, Never>?
  }

  /// Receives the rejections while there is no handler.
  private let logger: AppLogger
  private let state = Lock(State())

  init(_ logger: AppLogger) { self.logger = logger }

  /// The app's handler; `nil` if rejections are logged.
  package var handler: Handler? {
    get { state.withLock { $0.handler } }
    set { state.withLock { $0.handler = newValue } }
  }

  /// Passes a rejection to the handler, after the earlier ones, or logs it. Returns without waiting.
  func report(_ rejected: RejectedWrite) {
    let isHandled = state.withLock { state in
      guard let handler = state.handler else { return false }
      let previous = state.newest
      state.newest = Task {
        await previous?.value
        await handler(rejected)
      }
      return true
    }
    if !isHandled { logger.warning(Self.text(rejected)) }
  }

  /// Returns the line of the log. It names at most three documents, and no values.
  private static func text(_ rejected: RejectedWrite) -> String {
    var paths: [String] = []
    for write in rejected.writes where !paths.contains(write.document.text) {
      paths.append(write.document.text)
    }
    let named = paths.prefix(3).joined(separator: ", ")
    let others = paths.count > 3 ? " and \(paths.count - 3) other documents" : ""
    return """
      The remote refused a write to \(named)\(others), and its effect was undone: \(rejected.error) Nobody \
      waited for the answer: use WriteConfirmation.confirmed(), StoreSettings(writes: .confirmed) or \
      Store.onRejectedWrite. Store.rejectedWrites lists the write until it is dismissed.
      """
  }
}
