import Foundation
import TenonCore
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

extension StoreEngine {
  /// Moves the damaged file away; whoever listens learns that its documents are gone.
  func setAsideDamagedFile() throws -> String {
    do {
      guard let path = file.path else {
        throw StoreError(.failedPrecondition, "The database is in memory; there is no file to set aside.")
      }
      try disconnect()
      guard try file.isDamaged() else {
        throw StoreError(
          .failedPrecondition,
          "The database \(path) is sound and was left where it is; nothing needs to be set aside.")
      }
      let aside = try file.setAside(path)
      logger.error("The damaged database \(path) was set aside as \(aside).")
      endListening(
        throwing: StoreError(.dataLoss, "The damaged database was set aside as \(aside). Listen again."))
      return aside
    } catch {
      throw StoreError.wrapping(error)
    }
  }

  /// Writes the documents of a file that was set aside which aren't there.
  func recoverDocuments(from path: String) throws -> RecoveredDocuments {
    do {
      guard FileManager.default.fileExists(atPath: path) else {
        throw StoreError(.notFound, "There is no file \(path) to recover documents from.")
      }
      return try StoreFile.withCopy(of: path) { copy, isSound in
        var saved = 0
        var waiting: [DocumentWrite] = []
        func save() throws {
          try commit(waiting)
          saved += waiting.count
          waiting = []
        }
        let scan = try StoredDocumentScan(copy) { path, fields in
          try Task.checkCancellation()
          guard try document(path) == nil else { return }
          waiting.append(DocumentWrite(path, .set(fields)))
          if waiting.count == 500 { try save() }
        }
        try save()
        return RecoveredDocuments(saved: saved, isComplete: isSound && scan.isComplete)
      }
    } catch {
      throw StoreError.wrapping(error)
    }
  }
}
