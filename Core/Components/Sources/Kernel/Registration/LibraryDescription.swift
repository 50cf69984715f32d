/// A library's name and version. Ordered by name.
struct LibraryDescription: Sendable, Hashable, Comparable {
  let name: String
  /// The version as text, for example `1.4.0`.
  let version: String

  init(_ library: any Library.Type) {
    name = library.name
    version = library.version.description
  }

  static func < (left: LibraryDescription, right: LibraryDescription) -> Bool { left.name < right.name }
}
