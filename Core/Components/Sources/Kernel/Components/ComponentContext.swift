/// What a component knows of its surroundings while it is created.
///
/// It isn't the container: what a component did not declare as a need it cannot reach.
public struct ComponentContext: Sendable {
  private let installed: InstalledComponent

  init(_ component: InstalledComponent) { installed = component }

  var component: ComponentKey { installed.key }

  /// Writes to the log in the name of the component's library.
  public var logger: Logger { Logger(source: installed.library?.name ?? "app") }

  /// The app that the component belongs to.
  ///
  /// - Throws: ``ComponentError`` with ``ComponentError/Code/noApp`` in a container that stands alone.
  public var app: AppContext {
    get throws {
      guard let app = installed.life.app else { throw ComponentError.noApp(component) }
      return app
    }
  }
}
