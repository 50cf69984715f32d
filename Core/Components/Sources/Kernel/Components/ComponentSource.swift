/// Anything that yields components: a factory type whose functions make them, a list read from a file, an assembly of
/// other sources.
///
/// ```swift
/// struct Shop: ComponentSource {
///   var components: [AnyComponent] {
///     get throws {
///       storage
///       catalog
///     }
///   }
/// }
///
/// extension Shop {
///   @ComponentBuilder var storage: [AnyComponent] {
///     Component(from: makeDatabase)
///   }
///   func makeDatabase(clock: any Clock) throws -> any Database { … }
/// }
/// ```
///
/// Its components stand in any list of components (`try Shop().components`), and the source itself in
/// ``App/configure(named:options:libraries:sources:)``.
public protocol ComponentSource: Sendable {
  /// The components. Asked once per container.
  @ComponentBuilder var components: [AnyComponent] { get throws }
}
