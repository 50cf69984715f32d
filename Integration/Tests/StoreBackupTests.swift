import Foundation
import TenonCore
import TenonEmbedded
import TenonFoundation
import TenonStorage
import TenonStore
import TenonTestSupport
import Testing

/// Backups of Store in Storage, on the embedded backend.
@Suite(.limited) struct StoreBackupTests {
  /// Configures an app whose data and backend are in a directory.
  private func configure(_ directory: URL, _ name: String) throws -> App {
    try App.configure(
      name: "\(name)-\(UUID())",
      options: AppOptions(
        projectID: "demo-backup", storageBucket: "demo.appspot.com",
        backend: .embedded(directory: directory.appending(path: name).path)))
  }

  @Test func aBackupInStorageIsRestoredAndIsAnOrdinaryObject() async throws {
    try await withTemporaryDirectory { directory in
      let app = try configure(directory, "one")
      let settings = StoreSettings(isLocalOnly: true)
      let store = try Store.store(app: app, settings: settings)
      for start in [0, 100] {
        let batch = store.batch()
        for number in start..<start + 100 {
          try batch.setData(
            ["n": number, "padding": Data(count: 20_000)], forDocument: store.document("notes/\(number)"))
        }
        try await batch.commit()
      }
      let reports = Lock<[Int64]>([])
      let summary = try await store.backup(to: .storage(path: "backups/notes.sqlite")) { report in
        reports.withLock { $0.append(report.completedUnitCount) }
      }
      #expect(summary.documents == 200)
      let numbers = reports.withLock { $0 }
      #expect(numbers == Set(numbers).sorted() && numbers.count > 8)
      #expect(numbers.last == summary.size * 2)
      let object = try Storage.storage(app: app).reference(withPath: "backups/notes.sqlite")
      let metadata = try await object.getMetadata()
      #expect(metadata.size == summary.size && metadata.contentType == "application/vnd.sqlite3")

      // Another database of the app, from the file that Storage delivers.
      let file = try await object.writeAsync(toFile: directory.appending(path: "downloaded"))
      let other = try Store.store(app: app, database: "other", settings: settings)
      #expect(try await other.restore(from: .file(file)) == summary)
      #expect(try await other.collection("notes").getDocuments().count == 200)

      try await store.document("notes/0").delete()
      #expect(try await store.restore(from: .storage(path: "backups/notes.sqlite")) == summary)
      #expect(try await store.document("notes/0").getDocument().fields?["n"] == 0)
      let error = await #expect(throws: StoreError.self) {
        try await store.restore(from: .storage(path: "backups/missing.sqlite"))
      }
      #expect(error?.code == .notFound)
      await app.delete()
    }
  }
}
