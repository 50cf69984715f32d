/// One configured use of a project in this process: its options, its libraries and their instances.
///
/// ```swift
/// try App.configure(options: AppOptions(projectID: "my-project"))
/// let functions = try Functions.functions()
/// ```
///
/// Most programs have one app, the default one. Further ones have names; nothing is shared between apps.
public final class App: Sendable {
  /// The name of the default app.
  public static let defaultName = "default"

  /// The app as its components see it.
  public let context: AppContext
  /// The container of the app's components: for updates, children, handles, resetting and starting.
  public let container: ComponentContainer

  /// The app's name.
  public var name: String { context.name }
  /// The options that it was configured with.
  public var options: AppOptions { context.options }
  /// The app's libraries, components and edges, and what has been created so far.
  public var graph: ComponentGraph { container.graph }

  private init(context: AppContext, container: ComponentContainer) {
    self.context = context
    self.container = container
  }

  // MARK: - Configuring

  /// Configures an app: checks its options and the whole graph of its libraries, and creates its eager components.
  ///
  /// - Parameters:
  ///   - name: the app's name, of letters, digits, `.`, `-` and `_`, and not of dots alone; `nil` for the default app.
  ///   - options: what the app must know; found by ``AppOptions/discovered(environment:in:)`` when `nil`.
  ///   - libraries: an explicit list instead of the linked libraries, for example for linkers that drop what
  ///     nobody refers to. Such an app doesn't adopt libraries that are loaded later.
  ///   - sources: further components, which belong to no library.
  /// While another thread configures an app of this name, this waits: it throws
  /// ``ConfigurationError/Code/alreadyConfigured`` when that succeeds, and configures the app itself when it fails.
  ///
  /// - Throws: ``ConfigurationError`` with every problem; ``ComponentError`` when an eager component can't be
  ///   created. Nothing is configured then.
  @discardableResult
  public static func configure(
    named name: String? = nil,
    options: AppOptions? = nil,
    libraries: [any Library.Type]? = nil,
    sources: [any ComponentSource] = []
  ) throws -> App {
    let name = name ?? defaultName
    let reservation = try AppRegistry.reserve(name)
    // A second copy of Core isn't an error by itself: a plugin may have one for its own use, and must not be able to keep
    // its host's apps from being configured. But it is said, and where configuring fails it may be why.
    let severalCores = Features.severalCores()
    do {
      let options = try options ?? Features.discoverOptions()
      let generation = LibraryRegistry.generation
      let selection = LibrarySelection(libraries ?? LibraryRegistry.libraries, options)
      let app = try App(
        name: name,
        options: options,
        selection: selection,
        sources: sources,
        generation: libraries == nil ? generation : nil
      )
      reservation.end(app)
      if let severalCores { Logger(source: "tenon-core").error(severalCores.description) }
      // What was loaded while the app wasn't known to be live.
      Features.adoptLoadedLibraries(into: app.container)
      Features.didConfigure(app, usesLinkedLibraries: libraries == nil && options.libraries == nil)
      return app
    } catch {
      reservation.end(nil)
      guard let severalCores, let error = error as? ConfigurationError else { throw error }
      throw ConfigurationError(error.problems + [severalCores])
    }
  }

  private convenience init(
    name: String, options: AppOptions, selection: LibrarySelection, sources: [any ComponentSource],
    generation: Int?
  ) throws {
    let problems = options.problems(in: .code) + selection.problems
    guard problems.isEmpty else { throw ConfigurationError(problems) }
    let context = AppContext(
      name: name,
      options: options,
      userAgent: UserAgent.text(libraries: selection.descriptions)
    )
    let further = try sources.flatMap { try $0.components }.map { GraphNode($0) }
    let container = try ComponentContainer(selection.nodes + further, name: nil, app: context)
    if let generation {
      Features.followRegistrations(container, selection.libraries, options, generation: generation)
    }
    try container.createEagerInstances()
    self.init(context: context, container: container)
  }

  /// The graph of libraries, without configuring an app.
  ///
  /// - Throws: ``ConfigurationError`` with every problem; what a source throws.
  package static func graph(
    of libraries: [any Library.Type]?, sources: [any ComponentSource]
  ) throws -> ComponentGraph {
    let selection = LibrarySelection(
      libraries ?? LibraryRegistry.libraries, AppOptions(projectID: "graph", backend: .production))
    let further = try sources.flatMap { try $0.components }.map { GraphNode($0) }
    let validation = GraphValidation(selection.nodes + further)
    let problems = selection.nameProblems + validation.problems
    guard problems.isEmpty else { throw ConfigurationError(problems) }
    return validation.graph
  }

  // MARK: - Finding

  /// The default app. While another thread configures it, this waits for it.
  ///
  /// - Throws: ``ConfigurationError`` with ``ConfigurationError/Code/notConfigured``.
  public static var `default`: App {
    get throws { try AppRegistry.app(defaultName) }
  }

  /// The app with a name; `nil` when there is none. While another thread configures it, this waits for it.
  public static func named(_ name: String) -> App? { try? AppRegistry.app(name) }

  /// Every configured app, sorted by name.
  public static var all: [App] { AppRegistry.all }

  // MARK: - Components

  /// The app's instance of `type`, created if need be; see ``ComponentContainer/resolve(_:named:)``.
  @inlinable
  public func resolve<Value: Sendable>(_ type: Value.Type = Value.self, named name: String? = nil) throws
    -> Value
  {
    try container.resolve(type, named: name)
  }

  /// The app's instance of `type`, or `nil`; see ``ComponentContainer/resolveIfPresent(_:named:)``.
  @inlinable
  public func resolveIfPresent<Value: Sendable>(
    _ type: Value.Type = Value.self,
    named name: String? = nil
  ) throws -> Value? {
    try container.resolveIfPresent(type, named: name)
  }

  /// Every contribution to `type`; see ``ComponentContainer/resolveAll(_:named:)``.
  public func resolveAll<Value: Sendable>(_ type: Value.Type = Value.self, named name: String? = nil) throws
    -> [Value]
  {
    try container.resolveAll(type, named: name)
  }

  /// Runs the `onStart` actions of the app's components; see ``ComponentContainer/start()``.
  public func start() async throws { try await container.start() }

  // MARK: - Deleting

  /// Deletes the app (R8): tells its components in reverse order of creation, and releases them. Every later
  /// `resolve` throws ``ComponentError/Code/appDeleted``; other apps are untouched. When this returns, the name can
  /// be configured again.
  public func delete() async {
    await container.delete()
    AppRegistry.remove(self)
  }
}
