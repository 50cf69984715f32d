import TenonCore
import TenonFoundation
import TenonStoreInterop

/// Reports the rejections that no caller receives as an error: to the app's handlers, or in the log.
///
/// A rejection is reported once, in the order in which this is called. Thread-safe.
package final class UnawaitedRejections: Sendable {
  package typealias Handler = @Sendable (RejectedWrite) async -> Void

  /// Replaces a rejected write by a new one, if it can; returns whether it has.
  package typealias Resolver = @Sendable (RejectedWrite) async -> Bool

  /// The handlers, and the task of the newest call, which the next call waits for.
  private struct State {
    var handler: Handler?
    var resolver: Resolver?
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

  /// Replaces writes that were rejected for a condition, before ``handler`` receives them; `nil` if
  /// nothing does.
  package var resolver: Resolver? {
    get { state.withLock { $0.resolver } }
    set { state.withLock { $0.resolver = newValue } }
  }

  /// Passes a rejection to the resolver and the handler, after the earlier ones, or logs it. Returns without
  /// waiting.
  func report(_ rejected: RejectedWrite) {
    let isHandled = state.withLock { state in
      let resolver = rejected.conflicts.isEmpty ? nil : state.resolver
      guard resolver != nil || state.handler != nil else { return false }
      let previous = state.newest
      state.newest = Task { [self] in
        await previous?.value
        if let resolver, await resolver(rejected) { return }
        if let handler { await handler(rejected) } else { log(rejected) }
      }
      return true
    }
    if !isHandled { log(rejected) }
  }

  private func log(_ rejected: RejectedWrite) {
    logger.warning(Self.text(rejected), fields: ["error.type": rejected.error.code.rawValue])
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
