import TenonCore

// error: type 'PlainLibrary' does not conform to protocol 'Library'
private enum PlainLibrary: Library {
  static let name = "plain"
  static let version = SemanticVersion(1, 0, 0)
}
