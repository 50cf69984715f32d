import Hummingbird
import Logging
import ServerAdapters
import TenonAdmin
import TenonCore
import TenonStorage
import TenonStore

/// The context of a request with the user who sent it.
struct NotesContext: UserRequestContext {
  var coreContext: CoreRequestContextStorage
  var user: DecodedIDToken?
  var container: ComponentContainer?
  init(source: Source) { coreContext = .init(source: source) }
}

/// Returns the server of an app.
///
/// - Parameters:
///   - app: the app.
///   - address: where the server listens.
///   - limit: how long pending writes may take to be sent when the process is to end.
///   - logger: the log of the server.
///   - onServerRunning: is called with the port when requests are accepted.
/// - Throws: what the products throw that can't be used with the app's options.
func notesServer(
  _ app: App, address: BindAddress, flushingWithin limit: Duration = .seconds(8), logger: Logger,
  onServerRunning: @escaping @Sendable (Int?) async -> Void = { _ in }
) throws -> some ApplicationProtocol {
  let store = try Store.store(app: app, as: .admin)
  let router = Router(context: NotesContext.self)
  router.add(middleware: TracingMiddleware())
  router.add(middleware: MetricsMiddleware())
  router.get { _, _ in "notes-server" }
  // Works without the network: a server that can't reach the backend still keeps notes.
  router.get("health") { _, _ in
    _ = try await store.collection("users").limit(to: 1).getDocuments(source: .cache)
    return HTTPResponse.Status.ok
  }
  let users = router.group().add(middleware: try UserMiddleware(app: app))
  users.get("user") { _, context in try context.signedIn.uid }
  let notes = NotesRoutes(store: store, storage: try Storage.storage(app: app, as: .admin))
  notes.add(to: users.group("notes"))
  // The server ends first, then the app.
  return Application(
    router: router, configuration: .init(address: address),
    services: [AppService(app, flushing: [store], within: limit, logger: logger)],
    onServerRunning: { await onServerRunning($0.localAddress?.port) }, logger: logger)
}
