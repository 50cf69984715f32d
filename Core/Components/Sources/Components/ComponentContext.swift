/// What a component can access of its surroundings while it is created.
///
/// A context isn't the container: a component can't reach anything that it didn't declare as a need.
public struct ComponentContext: Sendable {
  /// The component that is being created.
  private let installed: InstalledComponent

  init(_ component: InstalledComponent) { installed = component }

  /// The key of the component that is being created.
  @usableFromInline var component: ComponentKey { installed.key }

  /// A logger whose lines begin with the name of the component's library, or with `app` if it belongs to
  /// none.
  public var logger: AppLogger { AppLogger(source: installed.library?.name ?? "app") }

  /// The app that the component belongs to.
  ///
  /// - Throws: ``ComponentError`` with the code ``ComponentError/Code/noApp`` if the container belongs to
  ///   no app.
  public var app: AppContext {
    get throws {
      guard let app = installed.life.app else { throw ComponentError.noApp(component) }
      return app
    }
  }

  /// Decides that the instance that is being created isn't kept: it is used for the request under way, and
  /// the next request creates another one.
  ///
  /// ```swift
  /// Component(Cart.self) { context in
  ///   if let cart = savedCart() { return cart }
  ///   context.doNotKeepInstance()
  ///   return Cart()
  /// }
  /// ```
  ///
  /// The types under which the instance is served and to which it contributes aren't kept, either, and its
  /// `onStart` and `onDelete` actions don't run. Everything that receives the instance keeps it as usual. If
  /// several threads request an instance that isn't kept, each creates one. Has no effect outside of the
  /// creation, or for scopes that keep nothing.
  public func doNotKeepInstance() { CurrentThread.current.doNotKeepInstance(of: installed) }
}
