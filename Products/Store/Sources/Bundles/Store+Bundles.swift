import TenonDocuments
import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How far a bundle has been loaded.
public struct BundleProgress: Sendable, Hashable {
  /// What the loading has come to.
  public enum State: Sendable, Hashable {
    /// Documents are being taken in. None of them can be seen yet.
    case running
    /// All is here.
    case finished
    /// An error is thrown.
    case failed
  }

  /// What the loading has come to.
  public internal(set) var state = State.running
  /// How many documents have been taken in.
  public internal(set) var documentsLoaded: Int
  /// How many documents the bundle has.
  public internal(set) var totalDocuments: Int
  /// How many bytes of the bundle these documents make, with what stands before them.
  public internal(set) var bytesLoaded: Int
  /// How many bytes, without the bundle's metadata.
  public internal(set) var totalBytes: Int
}

extension Store {
  /// Loads a bundle: documents and queries that a server has put together (https://firebase.google.com/docs/firestore/bundles).
  ///
  /// All documents become visible at once, when the last has been taken in. When the task is cancelled before, or one
  /// can't be taken in, there are none of them. A document that is newer here stays as it is. A bundle that was loaded
  /// already, or an older one of the same id, changes nothing.
  ///
  /// - Parameters:
  ///   - bytes: the bundle.
  ///   - onProgress: called with what has been taken in so far: at the start, after each hundred documents, and at the end,
  ///     also of a loading that fails. The loading doesn't wait for it.
  /// - Returns: what was taken in.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` when it isn't a bundle; nothing was changed then.
  @discardableResult
  public func loadBundle(
    _ bytes: Data, onProgress: @Sendable (BundleProgress) -> Void = { _ in }
  ) async throws -> BundleProgress {
    let bundle = try Bundle(bytes)
    var progress = BundleProgress(
      documentsLoaded: 0, totalDocuments: bundle.totalDocuments, bytesLoaded: 0, totalBytes: bundle.totalBytes
    )
    onProgress(progress)
    // Told from here: what the app does then would keep the database waiting in the middle of a transaction.
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

  /// A query that a bundle brought; `nil` when none did.
  ///
  /// - Throws: ``StoreError``.
  public func query(named name: String) async throws -> Query? {
    try await engine.useAsUser { try $0.local.namedQuery(name) }.map {
      Query(store: self, structure: $0.structure, isLimitedToLast: $0.isLimitedToLast)
    }
  }
}
