/// A library's name and version.
struct LibraryDescription: Sendable, Hashable, Comparable {
  let name: String
  let version: String

  init(_ library: any Library.Type) {
    name = library.name
    version = library.version.description
  }

  static func < (left: LibraryDescription, right: LibraryDescription) -> Bool { left.name < right.name }
}
