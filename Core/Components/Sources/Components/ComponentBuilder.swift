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

  /// Adds the components of another list.
  public static func buildExpression(_ components: [AnyComponent]) -> [AnyComponent] { components }

  /// Adds the components of a source. If it throws, so does what the list is for: creating or updating a
  /// container, or configuring an app.
  ///
  /// - Parameters:
  ///   - source: the source.
  ///   - file: the file in which it is listed, for messages.
  ///   - line: the line on which it is listed, for messages.
  public static func buildExpression<Source: ComponentSource>(
    _ source: Source, file: StaticString = #fileID, line: UInt = #line
  ) -> [AnyComponent] {
    do {
      return try source.components
    } catch {
      // The compiler calls this without `try`, so a container throws the error in its place.
      let component = Component(Source.self, file: file, line: line) { _ in throw error }
      return [AnyComponent(component, failure: error)]
    }
  }

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
