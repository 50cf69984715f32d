// An app of Tenon as a service of swift-service-lifecycle. Written by `tenon new adapter
// swift-service-lifecycle`; change it as you like.
//
//   let services: [any Service] = [AppService(app, flushing: [store]), server]
//   let group = ServiceGroup(
//     services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
//   try await group.run()
//
// Services end in reverse order. Name the app before the server, so that the last requests still have it.

package import Logging
import ServiceLifecycle
package import TenonCore
package import TenonStore

/// Starts an app, and ends it when the process is to end: sends the pending writes, then deletes the app, which
/// ends its listeners and streams.
package struct AppService: Service {
  private let app: App
  private let stores: [Store]
  private let limit: Duration
  private let logger: Logger

  /// - Parameters:
  ///   - app: the app.
  ///   - stores: the databases whose pending writes are sent before the process ends.
  ///   - limit: how long that may take. What is left is in the databases, and is sent after the next start. Stay
  ///     under the time after which the system kills the process: 10 seconds in Docker, 30 in Kubernetes.
  ///   - logger: where it is said that writes are left.
  package init(
    _ app: App, flushing stores: [Store] = [], within limit: Duration = .seconds(8),
    logger: Logger = Logger(label: "tenon")
  ) {
    self.app = app
    self.stores = stores
    self.limit = limit
    self.logger = logger
  }

  package func run() async throws {
    do {
      try await app.start()
      try await gracefulShutdown()
      for store in stores { await flush(store) }
    } catch {
      // Starting failed, or the service was cancelled: there is no time to send anything.
      await app.delete()
      throw error
    }
    await app.delete()
  }

  private func flush(_ store: Store) async {
    let isSent = await withTaskGroup(of: Bool.self) { group in
      group.addTask { (try? await store.waitForPendingWrites()) != nil }
      group.addTask { [limit] in
        try? await Task.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    guard !isSent, let pending = try? await store.pendingWrites, pending.count > 0 else { return }
    logger.warning("Writes of \(store.database) are left for the next start: \(pending)")
  }
}
