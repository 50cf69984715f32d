import FirestoreExport
import TenonFoundation

/// The folder of an export, which is written beside the last one and then takes its place.
struct ExportFolder {
  static let metadataFile = "firebase-export-metadata.json"
  /// What an export consists of.
  private static let parts: Set = [
    metadataFile, "firestore_export", "firestore_databases", "auth_export", "storage_export",
  ]
  let url: URL

  /// Names a folder, and moves its last export back if a program ended while it replaced that.
  init(_ path: String) {
    url = URL(filePath: path).absoluteURL.standardizedFileURL
    restore()
  }

  /// Checks that an export may take the place of what is in the folder.
  ///
  /// - Throws: ``ExportProblem`` for a folder with files that aren't an export, which would be lost.
  func checkReplaceable() throws(ExportProblem) {
    guard url.pathComponents.count > 1 else {
      throw ExportProblem(url.path, "This can't be the folder of an export. Name another one.")
    }
    // The folder in which the program runs, or one around it, can't be replaced.
    let current = URL(filePath: ".").absoluteURL.standardizedFileURL.path
    guard !"\(current)/".hasPrefix("\(url.path)/") else {
      throw ExportProblem(
        url.path, "The server runs in this folder, so it can't be replaced. Name another folder.")
    }
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    let files = try ExportProblem.naming(url.path) {
      try FileManager.default.contentsOfDirectory(atPath: url.path)
    }
    guard files.isEmpty || files.contains(Self.metadataFile) else {
      throw ExportProblem(
        url.path,
        "The folder isn't an export: it has files, but no \(Self.metadataFile). Name an empty folder, or a new one."
      )
    }
    if let other = Set(files).subtracting(Self.parts).min() {
      throw ExportProblem(
        url.path,
        "An export would take the place of the folder, in which \"\(other)\" would be lost: this server doesn't export "
          + "that. Move it away, or name another folder.")
    }
  }

  private var parent: URL { url.deletingLastPathComponent() }
  /// Where the last export is while the new one takes its place.
  private var last: URL { parent.appending(path: ".\(url.lastPathComponent).last") }

  /// Moves the last export back, if the program ended before a new one had taken its place.
  private func restore() {
    guard !FileManager.default.fileExists(atPath: url.path) else {
      try? FileManager.default.removeItem(at: last)
      return
    }
    try? OpenFile.replace(url, with: last)
  }

  /// Creates the folder for a new export, beside the last one.
  ///
  /// - Throws: ``ExportProblem``, as ``checkReplaceable()``.
  func draft() throws(ExportProblem) -> URL {
    try checkReplaceable()
    let draft = parent.appending(path: ".\(url.lastPathComponent).new-\(UUID().uuidString.prefix(8))")
    try ExportProblem.naming(draft.path) {
      // An export has the hashes of passwords.
      try FileManager.default.createDirectory(
        atPath: draft.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    return draft
  }

  /// Replaces the last export with a finished one.
  ///
  /// - Throws: ``ExportProblem``; the last export remains then.
  func publish(_ draft: URL) throws(ExportProblem) {
    try ExportProblem.naming(url.path) {
      guard FileManager.default.fileExists(atPath: url.path) else {
        return try OpenFile.replace(url, with: draft)
      }
      try OpenFile.replace(last, with: url)
      do { try OpenFile.replace(url, with: draft) } catch {
        restore()
        throw error
      }
      try? FileManager.default.removeItem(at: last)
    }
  }
}
