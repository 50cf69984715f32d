#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Databases that are opened through a symbolic link.
extension Connection {
  /// The number of links that are followed at most, as on Linux. Links that lead to one another would have no
  /// end.
  private static let mostLinks = 40

  /// Returns the path of the file to which a symbolic link leads, which need not exist; a path that isn't a
  /// link is returned unchanged.
  ///
  /// SQLite keeps the log beside the file, not beside the link, and so must everything else that is found by
  /// the name of the database. Links among the directories of a path don't matter, because all of these files
  /// are in one directory.
  package static func followingLinks(_ path: String) -> String {
    var path = path
    // Checked: a constant.
    for _ in 0..<mostLinks {
      guard let target = targetOfLink(path) else { return path }
      // A relative target begins in the directory of the link.
      let directory = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
      path = target.hasPrefix("/") ? target : directory + target
    }
    return path
  }

  /// Returns the text of a symbolic link; `nil` if there is no link at the path, or its text isn't UTF-8.
  private static func targetOfLink(_ path: String) -> String? {
    #if os(Windows)
      return nil
    #else
      // Checked: a constant.
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = max(0, readlink(path, &buffer, buffer.count))
      // Checked: not negative.
      let bytes = buffer.prefix(count).map { UInt8(bitPattern: $0) }
      let text = String(decoding: bytes, as: UTF8.self)
      return !bytes.isEmpty && text.utf8.elementsEqual(bytes) ? text : nil
    #endif
  }
}
