/// A library's name and version, as they appear in graphs, in messages and in the user agent. Ordered by name; the
/// order doesn't depend on the version.
struct LibraryDescription: Sendable, Hashable, Comparable {
  let name: String
  /// The version as text, for example `1.4.0`.
  let version: String

  /// Describes a library. Reads its name and its version once.
  init(_ library: any Library.Type) {
    name = library.name
    version = library.version.description
  }

  static func < (left: LibraryDescription, right: LibraryDescription) -> Bool { left.name < right.name }
}
