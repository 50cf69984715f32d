import TenonDocuments
import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How far a bundle has been loaded.
public struct BundleProgress: Sendable, Hashable {
  /// The state of loading.
  public enum State: Sendable, Hashable {
    /// Documents are being saved. None of them is visible yet.
    case running
    /// Everything has been loaded.
    case finished
    /// Loading has failed; the error is thrown.
    case failed
  }

  /// The state of loading.
  public internal(set) var state = State.running
  /// The number of documents that have been saved.
  public internal(set) var documentsLoaded: Int
  /// The number of documents in the bundle.
  public internal(set) var totalDocuments: Int
  /// The number of bytes of the bundle up to the last of these documents, without its metadata.
  public internal(set) var bytesLoaded: Int
  /// The size of the bundle in bytes, without its metadata.
  public internal(set) var totalBytes: Int
}

extension Store {
  /// Loads a bundle: documents and queries that a server has put together (https://firebase.google.com/docs/firestore/bundles).
  ///
  /// All documents become visible at once, when the last one has been saved. If the task is cancelled before, or one can't be
  /// saved, none of them is. A document that is newer here stays as it is. A bundle that was loaded already, or an older one of
  /// the same id, changes nothing.
  ///
  /// - Parameters:
  ///   - bytes: the bundle.
  ///   - onProgress: called with the progress at the start, after each hundred documents, and at the end, even if loading fails.
  ///     Loading doesn't wait for it.
  /// - Returns: the progress at the end.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if it isn't a bundle; then nothing was changed.
  @discardableResult
  public func loadBundle(
    _ bytes: Data, onProgress: @Sendable (BundleProgress) -> Void = { _ in }
  ) async throws -> BundleProgress {
    let bundle = try Bundle(bytes)
    var progress = BundleProgress(
      documentsLoaded: 0, totalDocuments: bundle.totalDocuments, bytesLoaded: 0, totalBytes: bundle.totalBytes
    )
    onProgress(progress)
    // Reported from here: the app's code mustn't run in the middle of a transaction.
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
      progress.state = .failed
      onProgress(progress)
      throw error
    }
    progress.state = .finished
    progress.documentsLoaded = bundle.totalDocuments
    progress.bytesLoaded = bundle.totalBytes
    onProgress(progress)
    return progress
  }

  /// Returns a query of a loaded bundle; `nil` if there is none of that name.
  ///
  /// - Throws: ``StoreError``.
  public func query(named name: String) async throws -> Query? {
    try await engine.useAsUser { try $0.local.namedQuery(name) }.map {
      Query(store: self, structure: $0.structure, isLimitedToLast: $0.isLimitedToLast)
    }
  }
}
