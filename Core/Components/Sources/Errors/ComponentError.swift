/// The error of a request for an instance.
///
/// ``code`` identifies the kind of failure. ``description`` contains the reason, the path that led to it, and
/// what to do.
public struct ComponentError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure, stable across versions.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as text, for example `not-provided`.
    public let rawValue: String

    /// Creates a code that this version doesn't know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code as text, which is ``rawValue``.
    public var description: String { rawValue }

    /// No component provides what was requested.
    public static let notProvided = Code(rawValue: "not-provided")
    /// The component's creation threw an error; see ``ComponentError/underlying``.
    public static let creationFailed = Code(rawValue: "creation-failed")
    /// The component declined to be created (``ComponentUnavailable``).
    public static let unavailable = Code(rawValue: "unavailable")
    /// The component needs itself while it is created.
    public static let cycle = Code(rawValue: "cycle")
    /// The app was deleted.
    public static let appDeleted = Code(rawValue: "app-deleted")
    /// The container was deleted or deallocated.
    public static let containerDeleted = Code(rawValue: "container-deleted")
    /// The component requests its app in a container without an app.
    public static let noApp = Code(rawValue: "no-app")
    /// The arguments don't match those that the component declares.
    public static let arguments = Code(rawValue: "arguments")
    /// A component that must be created on the main actor was requested elsewhere.
    public static let notOnMainActor = Code(rawValue: "not-on-main-actor")
    /// A creation tried to update its container.
    public static let updateWhileCreating = Code(rawValue: "update-while-creating")
    /// A test requested a component that it doesn't override.
    public static let notOverridden = Code(rawValue: "not-overridden")
    /// The app doesn't have the library: it was configured without it, or the linker dropped the library's
    /// registration.
    public static let notRegistered = Code(rawValue: "not-registered")
    /// A `.weak` component created something that isn't an object.
    public static let weakValue = Code(rawValue: "weak-value")
  }

  /// The kind of failure.
  public let code: Code
  /// The key that was requested, for example `any AuthInterop`.
  public let component: String
  /// What happened, in a sentence.
  public let reason: String
  /// The components from the first request to the one that failed.
  public private(set) var path: [String]
  /// What to do about it, best first.
  public let repairs: [String]
  /// The error that the component's creation threw, if any.
  public let underlying: (any Error)?
  /// The key that was requested.
  private let key: ComponentKey
  /// The number of keys that `path` omits at its beginning.
  private let pathStart: Int
  /// The component whose creation threw `underlying`; `nil` if none did. A key doesn't identify it: a child
  /// may provide the key of a component that its own component requires.
  private let thrower: ObjectIdentifier?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: the kind of failure.
  ///   - key: the key that was requested.
  ///   - reason: what happened, in a sentence.
  ///   - path: the keys from the first request to the one that failed; empty if it isn't known yet.
  ///   - pathStart: the number of keys that `path` omits at its beginning.
  ///   - repairs: what to do about it, best first.
  ///   - underlying: the error that the creation threw.
  ///   - thrower: the component whose creation threw it.
  @inline(never) init(
    _ code: Code,
    _ key: ComponentKey,
    _ reason: String,
    path: [ComponentKey] = [],
    pathStart: Int = 0,
    repairs: [String] = [],
    underlying: (any Error)? = nil,
    thrower: ObjectIdentifier? = nil
  ) {
    self.code = code
    self.key = key
    component = key.description
    self.reason = reason
    self.path = path.map(\.description)
    self.pathStart = pathStart
    self.repairs = repairs
    self.underlying = underlying
    self.thrower = thrower
  }

  /// The number and the reason, the path, and what to do, on one line each.
  public var description: String {
    var lines = [(code.number.map { "\($0): " } ?? "") + reason]
    if path.count > 1 { lines.append("  path: " + path.joined(separator: " → ")) }
    return (lines + repairs.map { "  - " + $0 }).joined(separator: "\n")
  }

  /// Returns the error with a key inserted at a position of the path.
  ///
  /// - Parameters:
  ///   - key: the key of a `.unique` component, whose creation had no frame on the thread.
  ///   - place: the position in the path from the first request, including keys that the error omits. The
  ///     error is returned unchanged if the position isn't after the first key of its path, or is beyond its
  ///     end.
  func inserting(_ key: ComponentKey, at place: Int) -> ComponentError {
    var copy = self
    let index = place - pathStart
    if index > 0, index <= path.count { copy.path.insert(key.description, at: index) }
    return copy
  }

  /// Returns the error with the path that led to it, unless it has one.
  ///
  /// - Parameter path: the keys from the first request to the component that failed.
  func found(on path: [ComponentKey]) -> ComponentError {
    guard self.path.isEmpty else { return self }
    return ComponentError(
      code, key, reason, path: path, repairs: repairs, underlying: underlying, thrower: thrower)
  }

  /// Returns whether nothing provides `key` itself.
  func isMissing(_ key: ComponentKey) -> Bool { code == .notProvided && self.key == key }

  /// Returns whether the component of a slot itself declined, under the key of the slot.
  func declines(_ slot: any AnySlot) -> Bool {
    code == .unavailable && key == slot.key && thrower == ObjectIdentifier(slot.component)
  }
}
