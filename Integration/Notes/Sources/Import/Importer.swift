import Foundation
import NotesText
import TenonStorage
import TenonStore

/// Brings a folder's notes and attachments into Store and Storage, and changes only what has changed.
struct Importer {
  /// What an import did.
  struct Summary: Codable, Sendable {
    /// The number of notes and attachments in the folder, and of what can't be read there.
    var files = 0
    var imported = 0
    var unchanged = 0
    var attachments = 0
    var unchangedAttachments = 0
    var removed = 0
    var failed = 0
    var bytes = 0

    /// How many of the files were looked at.
    var done: Int { imported + unchanged + attachments + unchangedAttachments + failed }
  }

  /// How many notes are committed at once: one wait for the disk for all of them.
  private static let batchSize = 100

  private let notes: NotesApp
  private let isInterrupted: () -> Bool
  private let report: (String) -> Void
  private let progress: (Summary) -> Void
  private(set) var summary = Summary()
  /// Whether the import ended before everything was done.
  private(set) var hasStopped = false
  private var batch: WriteBatch

  /// - Parameters:
  ///   - isInterrupted: whether to stop, asked between two files.
  ///   - report: receives each file that can't be imported, by name and with the reason, as they can be printed.
  ///   - progress: receives the state of affairs, at the beginning and after each file.
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

  /// Imports a folder. What a broken file holds stays out; the rest goes in. When it is interrupted, what it has done so
  /// far is committed.
  mutating func run(_ folder: URL, prune: Bool) async throws {
    // Walked twice, since progress needs a total: names cost little beside what the files hold.
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
        // The disk is full or the database can't be written: no other file will fare better.
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
    guard try await reference.getDocument()["digest"]?.stringValue != digest else {
      summary.unchanged += 1
      return
    }
    let name = file.url.deletingPathExtension().lastPathComponent
    let parsed = try MarkdownNote(content: content, fileName: name)
    var note = Note(parsed, path: file.path, size: content.count, digest: digest)
    var fields = try FieldsEncoder().encode(note)
    let path = try ResourcePath(document: reference.path)
    if fields.documentSize(at: path) > Fields.maximumDocumentSize {
      // The object first: a document never speaks of an object that isn't there.
      try await notes.storage.reference(Note.objectPath(file.path)).put(content)
      note.text = nil
      fields = try FieldsEncoder().encode(note)
    }
    try fields.checkDocument(at: path)
    try batch.setData(fields, forDocument: reference)
    summary.imported += 1
    summary.bytes += content.count
  }

  private mutating func importAttachment(_ file: FoundFile) async throws {
    let content = try Self.content(of: file)
    let digest = ContentDigest.text(of: content)
    let reference = notes.attachments.document(DocumentID.make(file.path))
    guard try await reference.getDocument()["digest"]?.stringValue != digest else {
      summary.unchangedAttachments += 1
      return
    }
    // The object first: a document never speaks of an object that isn't there.
    try await notes.storage.reference(Attachment.objectPath(file.path)).put(content)
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

  /// Removes what the folder no longer has: the documents first, so that none speaks of an object that isn't there.
  private mutating func removeMissing(_ folder: URL) async throws {
    var missing: [(document: DocumentReference, object: String?)] = []
    func collect(_ collection: CollectionReference, object: (DocumentSnapshot, String) -> String?)
      async throws
    {
      try await NotesApp.forEach(collection) { document in
        guard let path = document["path"]?.stringValue else { return }
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
    for object in removed.compactMap(\.object) { try await notes.storage.reference(object).delete() }
  }
}
