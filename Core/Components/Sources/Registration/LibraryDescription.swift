/// A library's name and version, as they appear in graphs, in messages and in the user agent. Immutable; a
/// class, because all components of a library refer to it.
final class LibraryDescription: Sendable {
  let name: String
  /// The version as text, for example `1.4.0`.
  let version: String

  /// Describes a library. Reads its name and its version once.
  init(_ library: any Library.Type) {
    name = library.name
    version = library.version.description
  }
}
