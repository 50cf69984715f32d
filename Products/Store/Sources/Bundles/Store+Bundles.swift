import TenonDocuments
import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How far a bundle has been loaded.
public struct BundleProgress: Sendable, Hashable {
  /// How many documents have been taken in.
  public internal(set) var documentsLoaded: Int
  /// How many documents the bundle has.
  public internal(set) var totalDocuments: Int
  /// How many bytes, without the bundle's metadata.
  public internal(set) var totalBytes: Int
}

extension Store {
  /// Loads a bundle: documents and queries that a server has put together (https://firebase.google.com/docs/firestore/bundles).
  ///
  /// A document that is newer here stays as it is. A bundle that was loaded already, or an older one of the same id, changes
  /// nothing.
  ///
  /// - Parameters:
  ///   - bytes: the bundle.
  ///   - onProgress: called with what has been taken in so far.
  /// - Returns: what was taken in.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` when it isn't a bundle; nothing was changed then.
  @discardableResult
  public func loadBundle(
    _ bytes: Data, onProgress: @Sendable (BundleProgress) -> Void = { _ in }
  ) async throws -> BundleProgress {
    let bundle = try Bundle(bytes)
    var progress = BundleProgress(
      documentsLoaded: 0, totalDocuments: bundle.totalDocuments, totalBytes: bundle.totalBytes)
    onProgress(progress)
    try await engine.load(bundle)
    progress.documentsLoaded = bundle.totalDocuments
    onProgress(progress)
    return progress
  }

  /// A query that a bundle brought; `nil` when none did.
  ///
  /// - Throws: ``StoreError``.
  public func query(named name: String) async throws -> Query? {
    try await engine.read { try $0.namedQuery(name) }.map {
      Query(store: self, structure: $0.structure, isLimitedToLast: $0.isLimitedToLast)
    }
  }
}
