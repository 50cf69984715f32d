import ArgumentParser
import Foundation
import NotesText
import TenonFoundation
import TenonStorage
import TenonStore

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Exports all notes and attachments to a folder, byte for byte as imported.",
    discussion: """
      Nothing is written outside the folder: a note whose path leads out of it, even through a symbolic link, is named \
      on standard error and skipped, and the exit code is 2.
      """
  )

  @Argument(help: "The folder, which is created if necessary.", completion: .directory)
  var folder: String

  @OptionGroup var options: NotesOptions

  /// The result of an export so far.
  private struct Summary {
    var notes = 0
    var attachments = 0
    var failed = 0

    var description: String {
      "\(notes) notes and \(attachments) attachments" + (failed > 0 ? ", failed \(failed)" : "")
    }

    /// Counts a file, or reports why it can't be written.
    mutating func count(
      _ kind: WritableKeyPath<Self, Int>, _ path: String, _ write: () async throws -> Void
    ) async throws {
      do {
        try await write()
        self[keyPath: kind] += 1
      } catch let error where error is ExportError || error is MissingStorage {
        failed += 1
        Output.error("failed: \(path.visible): \(error)")
      }
    }
  }

  /// Whether Ctrl-C was pressed.
  private struct Interrupted: Error {}

  func run() async throws {
    let interruption = Interruption()
    defer { interruption.end() }
    var summary = Summary()
    do {
      try await NotesApp.run(options) { app in
        try await export(app, into: openFolder(), &summary) {
          if interruption.isRaised { throw Interrupted() }
        }
      }
    } catch is Interrupted {
      Output.error("interrupted: exported \(summary.description). Export again for all of them.")
      throw ExitCode(Interruption.exitCode)
    }
    Output.line("exported \(summary.description)")
    if summary.failed > 0 { throw ExitCode(2) }
  }

  private func openFolder() throws -> ExportFolder {
    do { return try ExportFolder(URL(filePath: folder)) } catch let error as ExportError {
      throw Failure("\(folder) \(error).")
    } catch {
      throw Failure("\(folder) can't be created: \(error.systemReason). Name a folder that you can write to.")
    }
  }

  /// - Parameter proceed: called before each file; an error that it throws ends the export.
  private func export(
    _ app: NotesApp, into folder: ExportFolder, _ summary: inout Summary, proceed: () throws -> Void
  ) async throws {
    try await NotesApp.forEach(app.notes) { document in
      try proceed()
      let note = try document.data(as: Note.self)
      try await summary.count(\.notes, note.path) {
        try await folder.write(note.path) { try Data(try await app.text(of: note).utf8).write(to: $0) }
      }
    }
    try await NotesApp.forEach(app.attachments) { document in
      try proceed()
      let attachment = try document.data(as: Attachment.self)
      try await summary.count(\.attachments, attachment.path) {
        try await app.requireStorage()
        try await folder.write(attachment.path) {
          try await app.storage.reference(withPath: Attachment.objectPath(attachment.path)).writeAsync(
            toFile: $0)
        }
      }
    }
  }
}
