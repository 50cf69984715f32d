import Foundation
import TenonFoundation
import TenonSQLite

/// The databases in a folder aren't damaged.
///
/// Each is checked in a copy, because opening a database may change its write-ahead log. Every page of the
/// copy is read, which verifies the pages' checksums, and SQLite checks its structure.
enum DatabasesCheck {
  static func results(in folder: URL) -> [Diagnosis] {
    let paths: [String]
    do { paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path) } catch {
      return [
        .problem(
          "Databases", "\(folder.path) can't be read: \(error.systemReason)",
          fix: "Name an existing folder with --data.")
      ]
    }
    let databases = paths.filter { $0.hasSuffix(".sqlite") }.sorted()
    guard !databases.isEmpty else {
      return [
        .warning(
          "Databases", "\(folder.path) has no file that ends with .sqlite",
          fix: "Name the folder that AppOptions.data names.")
      ]
    }
    return databases.map { result(folder.appending(path: $0)) }
  }

  private static func result(_ file: URL) -> Diagnosis {
    // A log that isn't moved along would be applied to the database that is restored in its place.
    let files = Shell.quoted(file.path)
    let fix =
      "Stop the programs that use it and check again. If it is still damaged, move it and its log aside and restore a backup: "
      + "for f in \(files) \(files)-*; do mv \"$f\" \"$f.damaged\"; done"
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-doctor-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let copy = directory.appending(path: "copy.sqlite")
      try FileManager.default.copyItem(at: file, to: copy)
      // The log, and the record of how far it is valid, without which a change of the log would look like its
      // end.
      for suffix in ["-wal", "-walmark"] where FileManager.default.fileExists(atPath: file.path + suffix) {
        try FileManager.default.copyItem(
          at: URL(filePath: file.path + suffix), to: URL(filePath: copy.path + suffix))
      }
      let connection = try Connection.open(copy.path)
      let found = try connection.rows("PRAGMA integrity_check(10)") { $0.text(0) }
      guard found == ["ok"] else {
        return .problem("Databases", "\(file.path) is damaged: \(found.joined(separator: "; "))", fix: fix)
      }
      return .ok("Databases", "\(file.path) is undamaged")
    } catch let error as SQLiteError where error.code == .keyMissing {
      return .warning(
        "Databases", "\(file.path) is encrypted, so only a program with its key can check it",
        fix: "Read its documents with the app, which reports damage.")
    } catch let error as SQLiteError where error.code == .damaged {
      return .problem("Databases", "\(file.path) is damaged: \(error.message)", fix: fix)
    } catch {
      return .problem(
        "Databases", "\(file.path) can't be checked: \(error)",
        fix: "Check that the file can be read: ls -l \(Shell.quoted(file.path))")
    }
  }
}

/// Text for a shell.
private enum Shell {
  /// Returns a word that a POSIX shell reads as this text.
  static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: #"'\''"#))'" }
}
