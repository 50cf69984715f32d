package import Foundation

/// A folder to export files to, and nothing outside of it.
///
/// Paths come from documents, which another device may have written, so they aren't trusted: a path that is
/// absolute, contains `..` or leads through a symbolic link is rejected. Each folder of a path is opened
/// relative to the one before it, so that concurrent changes can't redirect the path. A file appears with its
/// complete content or not at all, and replaces a symbolic link of the same name instead of following it.
package final class ExportFolder: Sendable {
  /// The descriptor of the open folder.
  private let root: CInt
  /// A hidden folder in which files are written before they are renamed.
  private let staging: URL

  /// Opens the folder, and creates it if necessary.
  package init(_ folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    root = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    staging = folder.appending(path: ".notes-export-\(UUID())")
    guard root >= 0 else { throw ExportError(code: errno) }
    try FileManager.default.createDirectory(
      at: staging, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    if root >= 0 { close(root) }
    try? FileManager.default.removeItem(at: staging)
  }

  /// Writes a file, and creates its folders.
  ///
  /// - Parameters:
  ///   - path: the path relative to the folder, with slashes.
  ///   - content: writes the content to a new file.
  /// - Throws: ``ExportError`` if the path leads out of the folder or isn't a valid file name; the error that
  ///   `content` throws.
  package func write(_ path: String, content: (URL) async throws -> Void) async throws {
    // Split by bytes, as the system does it, because a slash and an accent behind it are one `Character`.
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    guard let name = parts.last, parts.allSatisfy(Self.isName) else {
      throw ExportError(reason: "isn't a path below the folder")
    }
    let folder = try folder(parts.dropLast())
    defer { close(folder) }
    let file = staging.appending(path: "\(UUID())")
    do {
      try await content(file)
      guard renameat(AT_FDCWD, file.path, folder, name) == 0 else { throw ExportError(code: errno) }
    } catch {
      try? FileManager.default.removeItem(at: file)
      throw error
    }
  }

  /// Opens a folder below the root, and creates it if necessary.
  private func folder(_ parts: some Sequence<String>) throws(ExportError) -> CInt {
    var folder = dup(root)
    for part in parts {
      mkdirat(folder, part, 0o777)
      let next = openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      let code = errno
      close(folder)
      guard next >= 0 else {
        throw code == ELOOP || code == ENOTDIR
          ? ExportError(reason: "leads through \"\(part.visible)\", which isn't a folder")
          : ExportError(code: code)
      }
      folder = next
    }
    return folder
  }

  private static func isName(_ part: String) -> Bool {
    !part.isEmpty && part != "." && part != ".." && !part.utf8.contains(0)
  }
}

/// The error for a file that can't be exported.
package struct ExportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The problem, as the end of a sentence.
  package let reason: String

  package var description: String { reason }

  init(reason: String) { self.reason = reason }

  /// - Parameter code: the value of `errno`.
  init(code: CInt) { reason = "can't be written: \(String(cString: strerror(code)))" }
}
