/// Lists components, with `if`, `for` and lists made elsewhere.
@resultBuilder
public enum ComponentBuilder {
  /// Takes a component.
  public static func buildExpression<Value>(_ component: Component<Value>) -> [AnyComponent] {
    [AnyComponent(component)]
  }

  /// Takes a component whose type is forgotten.
  public static func buildExpression(_ component: AnyComponent) -> [AnyComponent] { [component] }

  /// Takes a list that was made elsewhere, for example `try source.components`.
  public static func buildExpression(_ components: [AnyComponent]) -> [AnyComponent] { components }

  /// Joins lists.
  public static func buildBlock(_ components: [AnyComponent]...) -> [AnyComponent] {
    components.flatMap { $0 }
  }

  /// Takes what an `if` without `else` gives.
  public static func buildOptional(_ components: [AnyComponent]?) -> [AnyComponent] { components ?? [] }

  /// Takes the first branch of an `if`.
  public static func buildEither(first components: [AnyComponent]) -> [AnyComponent] { components }

  /// Takes the second branch of an `if`.
  public static func buildEither(second components: [AnyComponent]) -> [AnyComponent] { components }

  /// Takes what a `for` gives.
  public static func buildArray(_ components: [[AnyComponent]]) -> [AnyComponent] {
    components.flatMap { $0 }
  }
}
