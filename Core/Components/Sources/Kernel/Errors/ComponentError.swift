/// Why an instance can't be had.
public struct ComponentError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, stable across versions.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `not-provided`.
    public let rawValue: String

    /// Creates a code that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No component provides what was asked for.
    public static let notProvided = Code(rawValue: "not-provided")
    /// The component's creation threw; see ``ComponentError/underlying``.
    public static let creationFailed = Code(rawValue: "creation-failed")
    /// The component declined (``ComponentUnavailable``).
    public static let unavailable = Code(rawValue: "unavailable")
    /// The component needs itself while it is created.
    public static let cycle = Code(rawValue: "cycle")
    /// The app was deleted.
    public static let appDeleted = Code(rawValue: "app-deleted")
    /// The container was deleted, or is gone.
    public static let containerDeleted = Code(rawValue: "container-deleted")
    /// The component asks for its app in a container that stands alone.
    public static let noApp = Code(rawValue: "no-app")
    /// The arguments aren't those that the component takes.
    public static let arguments = Code(rawValue: "arguments")
    /// A component that is created on the main actor was asked for elsewhere.
    public static let notOnMainActor = Code(rawValue: "not-on-main-actor")
    /// A creation tried to update its container.
    public static let updateWhileCreating = Code(rawValue: "update-while-creating")
    /// A test reached a component that it did not override.
    public static let notOverridden = Code(rawValue: "not-overridden")
    /// The library of what was asked for isn't in the app: it was configured without it, or the linker dropped the library's
    /// registration.
    public static let notRegistered = Code(rawValue: "not-registered")
    /// A `.weak` component made something that isn't an object.
    public static let weakValue = Code(rawValue: "weak-value")
  }

  /// What went wrong.
  public let code: Code
  /// What was asked for, for example `any AuthInterop`.
  public let component: String
  /// What happened, in a sentence.
  public let reason: String
  /// From the first request to the component that failed.
  public private(set) var path: [String]
  /// What to do about it, best first.
  public let repairs: [String]
  /// What the component's creation threw.
  public let underlying: (any Error)?
  private let key: ComponentKey
  /// How many keys of the way to the error `path` leaves out at its beginning.
  private let pathStart: Int

  init(
    _ code: Code,
    _ key: ComponentKey,
    _ reason: String,
    path: [ComponentKey] = [],
    pathStart: Int = 0,
    repairs: [String] = [],
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.key = key
    component = key.description
    self.reason = reason
    self.path = path.map(\.description)
    self.pathStart = pathStart
    self.repairs = repairs
    self.underlying = underlying
  }

  /// The reason, the path that led there, and what to do.
  public var description: String {
    var lines = [reason]
    if path.count > 1 { lines.append("  path: " + path.joined(separator: " → ")) }
    return (lines + repairs.map { "  - " + $0 }).joined(separator: "\n")
  }

  /// The same error with a key that lies on the way at a place.
  func inserting(_ key: ComponentKey, at place: Int) -> ComponentError {
    var copy = self
    let index = place - pathStart
    if index > 0, index <= path.count { copy.path.insert(key.description, at: index) }
    return copy
  }

  /// The same error with the path that led to it, unless it tells one.
  func found(on path: [ComponentKey]) -> ComponentError {
    guard self.path.isEmpty else { return self }
    return ComponentError(code, key, reason, path: path, repairs: repairs, underlying: underlying)
  }

  /// Whether this says that nothing provides `key` itself.
  func isMissing(_ key: ComponentKey) -> Bool { code == .notProvided && self.key == key }

  /// Whether this says that the component of `key` itself declined.
  func declines(_ key: ComponentKey) -> Bool { code == .unavailable && self.key == key }
}
