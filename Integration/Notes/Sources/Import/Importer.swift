import Foundation
import NotesText
import TenonStorage
import TenonStore

/// Imports a folder's notes and attachments into Store and Storage. Only changes are written.
struct Importer {
  /// The result of an import.
  struct Summary: Codable, Sendable {
    /// The number of notes and attachments in the folder, and of those that can't be read.
    var files = 0
    var imported = 0
    var unchanged = 0
    var attachments = 0
    var unchangedAttachments = 0
    var removed = 0
    var failed = 0
    var bytes = 0

    /// The number of files that were processed.
    var done: Int { imported + unchanged + attachments + unchangedAttachments + failed }
  }

  /// The number of notes per commit. A batch waits for the disk only once.
  private static let batchSize = 100

  private let notes: NotesApp
  private let isInterrupted: () -> Bool
  private let report: (String) -> Void
  private let progress: (Summary) -> Void
  private(set) var summary = Summary()
  /// Whether the import ended before all files were processed.
  private(set) var hasStopped = false
  private var batch: WriteBatch

  /// - Parameters:
  ///   - isInterrupted: returns whether to stop; called between two files.
  ///   - report: receives each file that can't be imported, by its name and with the reason, both printable.
  ///   - progress: receives the present result at the beginning and after each file.
  init(
    _ notes: NotesApp,
    isInterrupted: @escaping () -> Bool,
    report: @escaping (String) -> Void,
    progress: @escaping (Summary) -> Void
  ) {
    self.notes = notes
    self.isInterrupted = isInterrupted
    self.report = report
    self.progress = progress
    batch = notes.store.batch()
  }

  /// Imports a folder. Files that can't be read are skipped. If the import is interrupted, the files that
  /// were processed are committed.
  mutating func run(_ folder: URL, prune: Bool) async throws {
    // The folder is walked twice, because progress requires a total. Names cost little compared with the
    // contents of the files.
    var names = try FolderWalk(folder)
    while names.next() != nil { summary.files += 1 }
    summary.files += names.failures.count
    progress(summary)
    var walk = try FolderWalk(folder)
    while !stops(), let file = walk.next() {
      do {
        switch file.kind {
        case .note: try await importNote(file)
        case .attachment: try await importAttachment(file)
        }
      } catch let error as StoreError where error.code != .invalidArgument {
        // The disk is full or the database can't be written, so no other file can be imported.
        throw error
      } catch {
        fail(file.path.visible, "\(error)".visible)
      }
      progress(summary)
      if batch.count >= Self.batchSize { try await commit() }
    }
    for failure in walk.failures { fail(failure.path, failure.reason) }
    try await commit()
    if prune, !stops() { try await removeMissing(folder) }
  }

  private mutating func stops() -> Bool {
    hasStopped = hasStopped || isInterrupted()
    return hasStopped
  }

  private mutating func fail(_ path: String, _ reason: String) {
    summary.failed += 1
    report("\(path): \(reason)")
  }

  private mutating func importNote(_ file: FoundFile) async throws {
    let content = try Self.content(of: file)
    let digest = ContentDigest.text(of: content)
    let reference = notes.notes.document(DocumentID.make(file.path))
    guard try await notes.known(reference)?.fields?["digest"]?.stringValue != digest else {
      summary.unchanged += 1
      return
    }
    try batch.setData(try await notes.fields(of: content, at: file.path), forDocument: reference)
    summary.imported += 1
    summary.bytes += content.count
  }

  private mutating func importAttachment(_ file: FoundFile) async throws {
    let content = try Self.content(of: file)
    let digest = ContentDigest.text(of: content)
    let reference = notes.attachments.document(DocumentID.make(file.path))
    guard try await notes.known(reference)?.fields?["digest"]?.stringValue != digest else {
      summary.unchangedAttachments += 1
      return
    }
    // The object is written first, so that no document refers to an object that doesn't exist.
    try await notes.requireStorage()
    try await notes.storage.reference(withPath: Attachment.objectPath(file.path)).putDataAsync(content)
    try batch.setData(
      from: Attachment(path: file.path, size: content.count, digest: digest), forDocument: reference)
    summary.attachments += 1
    summary.bytes += content.count
  }

  private static func content(of file: FoundFile) throws -> Data {
    do { return try Data(contentsOf: file.url) } catch {
      throw UnreadableFile(reason: error.localizedDescription)
    }
  }

  private struct UnreadableFile: Error, CustomStringConvertible {
    let reason: String
    var description: String { "can't be read: \(reason)" }
  }

  private mutating func commit() async throws {
    if batch.count > 0 { try await batch.commit() }
    batch = notes.store.batch()
  }

  /// Removes what the folder no longer contains. Documents are deleted first, so that none refers to an
  /// object that doesn't exist.
  private mutating func removeMissing(_ folder: URL) async throws {
    var missing: [(document: DocumentReference, object: String?)] = []
    func collect(_ collection: CollectionReference, object: (QueryDocumentSnapshot, String) -> String?)
      async throws
    {
      try await NotesApp.forEach(collection) { document in
        guard let path = document.fields["path"]?.stringValue else { return }
        if !FileManager.default.fileExists(atPath: folder.appending(path: path).path) {
          missing.append((document.reference, object(document, path)))
        }
      }
    }
    try await collect(notes.notes) { note, path in note["text"] == nil ? Note.objectPath(path) : nil }
    try await collect(notes.attachments) { _, path in Attachment.objectPath(path) }
    var removed = missing[..<0]
    for (document, _) in missing {
      if stops() { break }
      try batch.deleteDocument(document)
      summary.removed += 1
      removed = missing[..<summary.removed]
      if batch.count >= Self.batchSize { try await commit() }
    }
    try await commit()
    for object in removed.compactMap(\.object) {
      do { try await notes.requireStorage() } catch {
        report("\(object.visible): stays in Storage: \(error)")
        continue
      }
      try await notes.storage.reference(withPath: object).delete()
    }
  }
}
