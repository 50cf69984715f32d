/// What a backup contains, as determined by reading it back.
public struct BackupSummary: Sendable, Hashable {
  /// The size in bytes.
  public let size: Int64
  /// The number of documents, including cached ones, with the pending writes of the last user applied.
  public let documents: Int
  /// The number of pending writes of all users; a batch or a transaction counts once.
  public let pendingWrites: Int
  /// The version of the file's schema. A library reads the versions up to its own.
  package let schemaVersion: Int
}
