import Foundation
import TenonStore

/// Loads a bundle and reads its named query.
func loadBundle(data: Data) async throws {
  let db = try Store.store()
  let progress = try await db.loadBundle(data)
  print(progress.documentsLoaded, progress.totalDocuments)
  // expect: call can throw but is not marked with 'try'
  guard let query = await db.getQuery(named: "latest") else {
    return
  }
  print(try await query.getDocuments(source: .cache).count)
}

/// Loads a bundle and follows the progress.
func loadBundleWithCompletion(data: Data) throws {
  // expect: 'loadBundle(_:completion:)' is unavailable: The call is asynchronous: try await store.loadBundle(data), in a Task { … } if need be.
  let task = try Store.store().loadBundle(data) { progress, error in
    print(progress?.state == .success, error as Any)
  }
  _ = task.addObserver { progress in
    print(progress.bytesLoaded)
  }
}
