/// What a component knows of its surroundings while it is created.
///
/// It isn't the container: what a component did not declare as a need it cannot reach.
public struct ComponentContext: Sendable {
  /// Writes to the log in the name of the component's library.
  public let logger: Logger
  private let appContext: AppContext?
  let component: ComponentKey

  init(app: AppContext?, logger: Logger, component: ComponentKey) {
    appContext = app
    self.logger = logger
    self.component = component
  }

  /// The app that the component belongs to.
  ///
  /// - Throws: ``ComponentError`` with ``ComponentError/Code/noApp`` in a container that stands alone.
  public var app: AppContext {
    get throws {
      guard let appContext else { throw ComponentError.noApp(component) }
      return appContext
    }
  }
}
