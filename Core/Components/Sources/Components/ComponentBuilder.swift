/// Builds lists of components from declarations, `if`, `switch`, `for` and other lists.
///
/// ```swift
/// @ComponentBuilder func components(isDemo: Bool) -> [AnyComponent] {
///   Component(Cart.self) { _ in Cart() }
///   if isDemo { Component(Catalog.self) { _ in Catalog.demo } }
/// }
/// ```
///
/// The order of the list is that of the declarations. A list isn't validated before a container is configured
/// with it.
@resultBuilder
public enum ComponentBuilder {
  /// Adds a component.
  public static func buildExpression<Value>(_ component: Component<Value>) -> [AnyComponent] {
    [AnyComponent(component)]
  }

  /// Adds a component whose type has been erased.
  public static func buildExpression(_ component: AnyComponent) -> [AnyComponent] { [component] }

  /// Adds the components of another list, for example `try source.components`.
  public static func buildExpression(_ components: [AnyComponent]) -> [AnyComponent] { components }

  /// Concatenates lists.
  public static func buildBlock(_ components: [AnyComponent]...) -> [AnyComponent] {
    components.flatMap { $0 }
  }

  /// Adds the components of an `if` without `else`, if its condition holds.
  public static func buildOptional(_ components: [AnyComponent]?) -> [AnyComponent] { components ?? [] }

  /// Adds the components of the first branch of a condition.
  public static func buildEither(first components: [AnyComponent]) -> [AnyComponent] { components }

  /// Adds the components of the second branch of a condition.
  public static func buildEither(second components: [AnyComponent]) -> [AnyComponent] { components }

  /// Adds the components of each iteration of a `for` loop.
  public static func buildArray(_ components: [[AnyComponent]]) -> [AnyComponent] {
    components.flatMap { $0 }
  }
}
