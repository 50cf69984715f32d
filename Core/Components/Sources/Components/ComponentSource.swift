/// A source of components: a factory type whose functions create them, a list that is read from a file, or an
/// assembly of other sources.
///
/// ```swift
/// struct Shop: ComponentSource {
///   var components: [AnyComponent] {
///     storage
///     catalog
///   }
/// }
///
/// extension Shop {
///   @ComponentBuilder var storage: [AnyComponent] {
///     Component(from: makeDatabase)
///   }
///   func makeDatabase(clock: any Clock) throws -> any Database { try FileDatabase(clock: clock) }
/// }
///
/// extension Shop {
///   @ComponentBuilder var catalog: [AnyComponent] {
///     Component(from: Catalog.init(database:cache:))
///   }
/// }
/// ```
///
/// A source can be part of any list, and can be passed to
/// ``App/configure(name:options:libraries:sources:components:)``:
///
/// ```swift
/// let container = try ComponentContainer {
///   Shop()
///   Component((any Clock).self) { _ in SystemClock() }
/// }
/// ```
public protocol ComponentSource: Sendable {
  /// The components. Read once per container. What this throws fails the configuration of the container.
  @ComponentBuilder var components: [AnyComponent] { get throws }
}
