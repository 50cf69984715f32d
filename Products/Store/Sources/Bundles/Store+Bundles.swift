public import TenonFoundation
import TenonStoreEngine
import TenonValues

/// The state of the loading of a bundle.
public enum LoadBundleTaskState: Sendable, Hashable {
  /// Documents are being loaded. None of them is visible yet.
  case inProgress
  /// All documents have been loaded.
  case success
  /// The loading has failed with an error.
  case error
}

/// The progress of the loading of a bundle. The counts never decrease from one report to the next.
public struct LoadBundleTaskProgress: Sendable, Hashable {
  /// The state of the loading.
  public internal(set) var state = LoadBundleTaskState.inProgress
  /// The number of documents that have been loaded.
  public internal(set) var documentsLoaded: Int
  /// The number of documents in the bundle.
  public internal(set) var totalDocuments: Int
  /// The number of bytes up to the end of the last loaded document.
  public internal(set) var bytesLoaded: Int
  /// The number of bytes without the bundle's metadata.
  public internal(set) var totalBytes: Int
}

extension Store {
  /// Loads a bundle: documents and queries that a server has packaged
  /// (https://firebase.google.com/docs/firestore/bundles).
  ///
  /// ```swift
  /// try await store.loadBundle(bytes)
  /// if let query = try await store.getQuery(named: "latest") {
  ///   let notes = try await query.getDocuments(source: .cache)
  /// }
  /// ```
  ///
  /// All documents become visible together when the last one has been loaded, and none of them if the task is
  /// cancelled or a document can't be loaded. A document that is newer in the cache is kept. A bundle that
  /// was already loaded, or an older version of it, changes nothing. Loading needs no network. The whole
  /// bundle is parsed in memory before anything is loaded.
  ///
  /// - Parameters:
  ///   - bytes: the bundle.
  ///   - onProgress: called with the progress at the start, after every hundred documents, and at the end,
  ///     also if loading fails. The loading doesn't wait for it.
  /// - Returns: the final progress.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the bytes aren't a bundle, and with
  ///   ``StoreError/Code/failedPrecondition`` if it concerns a collection that exists only on this device;
  ///   nothing was changed then. `CancellationError`.
  @discardableResult
  public func loadBundle(
    _ bytes: Data, onProgress: @Sendable (LoadBundleTaskProgress) -> Void = { _ in }
  ) async throws -> LoadBundleTaskProgress {
    let bundle = try Bundle(bytes)
    var progress = LoadBundleTaskProgress(
      documentsLoaded: 0, totalDocuments: bundle.totalDocuments, bytesLoaded: 0, totalBytes: bundle.totalBytes
    )
    onProgress(progress)
    // Reported from here: the app's function would block the database in the middle of a transaction.
    let (reports, reporting) = AsyncStream<Int>.makeStream()
    async let loading: Void = {
      defer { reporting.finish() }
      try await engine.load(bundle) { reporting.yield($0) }
    }()
    for await count in reports {
      progress.documentsLoaded = count
      progress.bytesLoaded = bundle.documents[count - 1].end
      onProgress(progress)
    }
    do { try await loading } catch {
      progress.state = .error
      onProgress(progress)
      throw error
    }
    progress.state = .success
    progress.documentsLoaded = bundle.totalDocuments
    progress.bytesLoaded = bundle.totalBytes
    onProgress(progress)
    return progress
  }

  /// Returns a query of a loaded bundle by its name; `nil` if there is none.
  ///
  /// A listener to it resumes at the remote from the time at which the server read the result in the bundle,
  /// unless this device has a newer one.
  ///
  /// - Parameter name: the name. A bundle that is loaded later replaces a query with the same name.
  /// - Throws: ``StoreError``; `CancellationError`.
  public func getQuery(named name: String) async throws -> Query? {
    try await engine.namedQuery(name).map {
      Query(store: self, structure: $0.structure, isLimitedToLast: $0.isLimitedToLast)
    }
  }
}
