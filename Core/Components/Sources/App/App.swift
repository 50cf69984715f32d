/// A configured project in this process: its options, its libraries and their instances.
///
/// ```swift
/// try App.configure(options: AppOptions(projectID: "my-project"))
/// let functions = try Functions.functions()
/// ```
///
/// An app without products needs no options; its components are passed in a closure:
///
/// ```swift
/// try App.configure {
///   Component((any Clock).self) { _ in SystemClock() }
/// }
/// let clock = try App.default.resolve((any Clock).self)
/// ```
///
/// Most programs have one app, the default app. Additional apps have names. Apps share nothing with each
/// other.
public final class App: Sendable {
  /// The name of the default app.
  static let defaultName = "default"

  /// The app as its components see it.
  public let context: AppContext
  /// The container of the app's components, for updates, children, handles, resets and starting.
  public let container: ComponentContainer

  /// The app's name.
  public var name: String { context.name }
  /// The options with which the app was configured.
  public var options: AppOptions { context.options }
  /// The app's libraries, components and needs, and what has been created so far.
  public var graph: ComponentGraph { container.graph }

  private init(context: AppContext, container: ComponentContainer) {
    self.context = context
    self.container = container
  }

  // MARK: - Configuring

  /// Configures an app: validates its options and the graph of its libraries, and creates its eager
  /// components.
  ///
  /// If another thread is configuring an app of this name, this waits for it. It then throws
  /// ``ConfigurationError/Code/alreadyConfigured`` if that succeeded, and configures the app itself if it
  /// failed.
  ///
  /// - Parameters:
  ///   - name: the app's name: letters, digits, `.`, `-` and `_`, and not only dots; `nil` for the default
  ///     app.
  ///   - options: the app's options; `nil` to use those of ``AppOptions/discovered(environment:in:)``. If
  ///     there are none, the app has no project, which is an error only if one of its libraries requires it.
  ///   - libraries: an explicit list instead of the linked libraries, for example for linkers that drop
  ///     unreferenced objects. Such an app doesn't adopt libraries that are loaded later.
  ///   - sources: additional components, which belong to no library.
  ///   - components: the app's own components, which belong to no library.
  /// - Returns: the app.
  /// - Throws: ``ConfigurationError`` with every problem; ``ComponentError`` if an eager component can't be
  ///   created; what `components` and the sources throw. Nothing is configured in any case.
  @discardableResult
  public static func configure(
    name: String? = nil,
    options: AppOptions? = nil,
    libraries: [any Library.Type]? = nil,
    sources: [any ComponentSource] = [],
    @ComponentBuilder components: () throws -> [AnyComponent] = { [] }
  ) throws -> App {
    if InspectionMode.isAtConfigure {
      InspectionMode.inspect(options: { try options ?? AppOptions.available().all }, libraries: libraries) {
        try sources.flatMap { try $0.components } + components()
      }
    }
    let name = name ?? defaultName
    let reservation = try AppRegistry.reserve(name)
    // A second copy of Core isn't an error by itself: a plugin may have one for its own use, and must not be
    // able to prevent its host from configuring apps. It is logged, though, and added to the errors if
    // configuring fails, because it may be the cause.
    let severalCores = CoreImages.problem
    do {
      let options = try options ?? AppOptions.available().all
      let generation = LibraryRegistry.generation
      let selection = LibrarySelection(libraries ?? LibraryRegistry.types, options)
      let app = try App(
        name: name,
        options: options,
        selection: selection,
        further: { try sources.flatMap { try $0.components } + components() },
        generation: libraries == nil ? generation : nil
      )
      reservation.end(app)
      if let severalCores { AppLogger(source: "tenon-core").error(severalCores.description) }
      // Libraries that were loaded before the app was registered as live.
      app.container.adoptLoadedLibraries()
      // Of an app with a list of libraries, in code or in its options, absence may be intended.
      if libraries == nil, options.libraries == nil { app.container.logUnregisteredProductsSoon() }
      return app
    } catch {
      reservation.end(nil)
      guard let severalCores, let error = error as? ConfigurationError else { throw error }
      throw ConfigurationError(error.problems + [severalCores])
    }
  }

  /// Creates an app: validates its options, builds its graph and creates its eager components.
  ///
  /// - Parameters:
  ///   - name: the app's name, which has been reserved.
  ///   - options: the app's options.
  ///   - selection: the libraries to activate.
  ///   - further: returns the components that belong to no library.
  ///   - generation: the registry's generation before the libraries were read; `nil` for an app that doesn't
  ///     adopt libraries.
  private convenience init(
    name: String, options: AppOptions, selection: LibrarySelection, further: () throws -> [AnyComponent],
    generation: Int?
  ) throws {
    let problems = options.problems(in: .code) + selection.problems
    // Without the libraries that are meant, the graph has problems that don't exist.
    guard selection.problems.isEmpty else { throw ConfigurationError(problems + selection.missingOptions) }
    let ofOptions = problems + selection.missingOptions
    let nodes: [GraphNode]
    do {
      nodes = try selection.nodes + further().map { GraphNode($0) }
    } catch {
      guard ofOptions.isEmpty else { throw ConfigurationError(ofOptions) }
      throw error
    }
    guard ofOptions.isEmpty else { throw ConfigurationError(ofOptions + GraphValidation(nodes).problems) }
    let context = AppContext(
      name: name,
      options: options,
      userAgent: UserAgent.text(libraries: selection.descriptions)
    )
    // Before anything is created, so that no registration is missed.
    let adoption = generation.map { LibraryAdoption(selection.libraries, options, generation: $0) }
    let container = try ComponentContainer(nodes, name: nil, app: context, adoption: adoption)
    try container.createEagerInstances()
    self.init(context: context, container: container)
  }

  // MARK: - Finding

  /// The default app. If another thread is configuring it, this waits for that.
  ///
  /// - Throws: ``ConfigurationError`` with the code ``ConfigurationError/Code/notConfigured``.
  public static var `default`: App {
    get throws { try AppRegistry.app(defaultName) }
  }

  /// Returns the default app, or `nil` if it isn't configured. If another thread is configuring it, this
  /// waits for that.
  public static func app() -> App? { try? AppRegistry.app(defaultName) }

  /// Returns the app with a name, or `nil` if there is none. If another thread is configuring it, this waits
  /// for that.
  ///
  /// - Parameter name: the app's name.
  public static func app(name: String) -> App? { try? AppRegistry.app(name) }

  /// Every configured app, sorted by name.
  public static var all: [App] { AppRegistry.all }

  // MARK: - Components

  /// Returns the app's instance of a type, created if necessary; see
  /// ``ComponentContainer/resolve(_:named:)``.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - name: the component's name; `nil` for the component without one.
  /// - Throws: ``ComponentError``.
  @export(implementation)
  public func resolve<Value: Sendable>(_ type: Value.Type = Value.self, named name: String? = nil) throws
    -> Value
  {
    try container.resolve(type, named: name)
  }

  /// Returns the app's instance of a type, or `nil`; see ``ComponentContainer/resolveIfPresent(_:named:)``.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - name: the component's name; `nil` for the component without one.
  /// - Throws: ``ComponentError``, but not if nothing provides the type.
  @export(implementation)
  public func resolveIfPresent<Value: Sendable>(
    _ type: Value.Type = Value.self,
    named name: String? = nil
  ) throws -> Value? {
    try container.resolveIfPresent(type, named: name)
  }

  /// Returns every contribution to a type; see ``ComponentContainer/resolveAll(_:named:)``.
  ///
  /// - Parameters:
  ///   - type: the type that is collected.
  ///   - name: the name under which it is collected; none by default.
  /// - Throws: ``ComponentError``.
  public func resolveAll<Value: Sendable>(_ type: Value.Type = Value.self, named name: String? = nil) throws
    -> [Value]
  {
    try container.resolveAll(type, named: name)
  }

  /// Runs the `onStart` actions of the app's components; see ``ComponentContainer/start()``.
  ///
  /// - Throws: ``ComponentError`` and `CancellationError`.
  public func start() async throws { try await container.start() }

  // MARK: - Deleting

  /// Deletes the app (R8): runs its components' `onDelete` actions in reverse order of creation, and releases
  /// every instance.
  ///
  /// Every later `resolve` throws ``ComponentError/Code/appDeleted``. Other apps aren't affected. When this
  /// returns, the name can be configured again.
  public func delete() async {
    await container.delete()
    AppRegistry.remove(self)
  }
}
