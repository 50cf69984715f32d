/// A library that has registered; see ``LibraryRegistry/libraries``.
public struct RegisteredLibrary: Sendable {
  /// The library's type, for `App.configure(libraries:)`.
  public let type: any Library.Type
  /// The library's name, for example `tenon-functions`.
  public let name: String
  /// The library's version.
  public let version: SemanticVersion

  /// Describes a library. Reads its name and its version once.
  init(_ type: any Library.Type) {
    self.type = type
    name = type.name
    version = type.version
  }
}

extension RegisteredLibrary: CustomStringConvertible {
  /// The name and the version, for example `tenon-functions 1.0.0`.
  public var description: String { "\(name) \(version)" }
}
