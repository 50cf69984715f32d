import ArgumentParser
import Foundation

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports a folder of Markdown files and their attachments.",
    discussion: """
      Only what has changed since the last import is written. Files that can't be imported are named on standard error, \
      and the rest goes in; the exit code is 2 then.
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
      throw Failure("\(self.folder) is not a folder.")
    }
    let start = ContinuousClock.now
    let line = ProgressLine()
    let summary = try await NotesApp.run(options) { notes in
      var importer = Importer(
        notes,
        report: { failure in
          line.clear()
          Output.error("failed: \(failure)")
        },
        progress: { summary in
          line.show("\(summary.imported + summary.unchanged) notes, \(summary.attachments) attachments …")
        }
      )
      try await importer.run(folder, prune: prune)
      return importer.summary
    }
    line.clear()
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    if json {
      try Output.json(summary)
    } else {
      Output.line(
        "imported \(summary.imported), unchanged \(summary.unchanged), attachments \(summary.attachments), "
          + "removed \(summary.removed), failed \(summary.failed), \(summary.bytes) bytes in "
          + "\(String(format: "%.2f", seconds)) s"
      )
    }
    if summary.failed > 0 { throw ExitCode(2) }
  }
}
