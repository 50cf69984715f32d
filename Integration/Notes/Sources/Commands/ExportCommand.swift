import ArgumentParser
import Foundation
import TenonStorage
import TenonStore

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes every note and attachment into a folder, byte for byte as imported."
  )

  @Argument(help: "The folder, which is created if need be.", completion: .directory)
  var folder: String

  @OptionGroup var options: NotesOptions

  func run() async throws {
    let folder = URL(filePath: folder)
    let (notes, attachments) = try await NotesApp.run(options) { app in
      var (notes, attachments) = (0, 0)
      try await NotesApp.forEach(app.notes) { document in
        let note = try document.decode(Note.self)
        try Data(try await app.text(of: note).utf8).write(
          to: try Self.file(note.path, in: folder),
          options: .atomic
        )
        notes += 1
      }
      try await NotesApp.forEach(app.attachments) { document in
        let attachment = try document.decode(Attachment.self)
        try await app.storage.reference(Attachment.objectPath(attachment.path))
          .write(to: try Self.file(attachment.path, in: folder))
        attachments += 1
      }
      return (notes, attachments)
    }
    Output.line("exported \(notes) notes and \(attachments) attachments")
  }

  /// A file below the folder, whose own folder is there.
  private static func file(_ path: String, in folder: URL) throws -> URL {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    return file
  }
}
