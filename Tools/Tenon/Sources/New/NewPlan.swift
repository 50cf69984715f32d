import Foundation

/// What a command writes: all of it, or nothing.
struct NewPlan {
  /// A file that is written or replaced.
  struct Change: Equatable {
    let path: String
    let text: String
    let isNew: Bool
  }

  var changes: [Change] = []
  /// What is left to do, one sentence each.
  var notes: [String] = []

  mutating func add(_ path: String, _ text: String) {
    changes.append(Change(path: path, text: text, isNew: true))
  }
  mutating func replace(_ path: String, _ text: String) {
    changes.removeAll { $0.path == path }
    changes.append(Change(path: path, text: text, isNew: false))
  }

  /// Writes the files. If that fails, or `check` does, the package is as before.
  ///
  /// - Throws: ``CommandError`` if a new file exists; the error of writing or of `check`.
  func write(to root: URL, check: () throws -> Void) throws {
    for change in changes where change.isNew && exists(root.appending(path: change.path)) {
      throw CommandError("\(change.path) exists already. Nothing was changed.")
    }
    var undo: [() throws -> Void] = []
    do {
      for change in changes {
        let file = root.appending(path: change.path)
        if let former = change.isNew ? nil : try? Data(contentsOf: file) {
          undo.append { try former.write(to: file, options: .atomic) }
        } else {
          // The outermost folder that this creates.
          var created = file
          while !exists(created.deletingLastPathComponent()), created.pathComponents.count > 2 {
            created.deleteLastPathComponent()
          }
          let target = created
          undo.append { try FileManager.default.removeItem(at: target) }
        }
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(change.text.utf8).write(to: file, options: .atomic)
      }
      try check()
    } catch {
      for step in undo.reversed() { try? step() }
      throw CommandError("Nothing was changed. \(error)")
    }
  }

  private func exists(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }
}
