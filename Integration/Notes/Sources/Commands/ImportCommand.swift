import ArgumentParser
import Foundation

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports a folder of Markdown files and their attachments.",
    discussion: """
      Only changes since the last import are written. Hidden files and folders (whose names begin with a dot) and \
      symbolic links are skipped. Files that can't be imported are named on standard error, and the others are imported; \
      the exit code is 2 in this case. Ctrl-C stops after the current file and keeps what was imported, with exit code \
      130; the next import continues from there.
      """
  )

  @Argument(help: "The folder.", completion: .directory)
  var folder: String

  @Flag(help: "Remove notes and attachments that the folder no longer has.")
  var prune = false

  @Flag(help: "Print the summary as JSON.")
  var json = false

  @OptionGroup var options: NotesOptions

  func run() async throws {
    let folder = URL(filePath: folder)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue
    else {
      throw Failure("\(self.folder) isn't a folder.")
    }
    let start = ContinuousClock.now
    let line = ProgressLine()
    let interruption = Interruption()
    defer { interruption.end() }
    let (summary, hasStopped) = try await NotesApp.run(options) { notes in
      var importer = Importer(
        notes,
        isInterrupted: { interruption.isRaised },
        report: { failure in
          line.clear()
          Output.error("failed: \(failure)")
        },
        progress: { line.show("\($0.done) of \($0.files) files, \($0.failed) failed …") }
      )
      defer { line.clear() }
      try await importer.run(folder, prune: prune)
      return (importer.summary, importer.hasStopped)
    }
    if json { try Output.json(summary) }
    if hasStopped {
      Output.error(
        "interrupted after \(summary.done) of \(summary.files) files: kept \(summary.imported) imported notes and "
          + "\(summary.attachments) attachments, removed \(summary.removed). Import again for the rest."
      )
      throw ExitCode(Interruption.exitCode)
    }
    if !json {
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      Output.line(
        "imported \(summary.imported), unchanged \(summary.unchanged), attachments \(summary.attachments), "
          + "removed \(summary.removed), failed \(summary.failed), \(summary.bytes) bytes in "
          + "\(String(format: "%.2f", seconds)) s"
      )
    }
    if summary.failed > 0 { throw ExitCode(2) }
  }
}
