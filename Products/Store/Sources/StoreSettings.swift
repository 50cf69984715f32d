/// How a database works: whether it has a remote, how long it keeps documents, and which indexes are declared.
public struct StoreSettings: Sendable, Hashable {
  /// Which documents are taken away that nothing needs: no listener, and no write that waits.
  public enum GarbageCollection: Sendable, Hashable {
    /// All of them, as soon as nothing needs them.
    case eager
    /// Those that nobody has used for the longest time, once the database has more bytes than `threshold`; none when it is
    /// `nil`. It is a threshold and not a limit: what is needed stays.
    case leastRecentlyUsed(threshold: Int?)
  }

  /// Whether the database is used without a remote: what is on this device is the truth, a write is final and confirmed as soon
  /// as it is durable, and reads of ``FirestoreSource/server`` are answered by this device. `false` by default.
  ///
  /// Otherwise, while no linked library provides a remote, writes wait for one, and what can't be done without one throws
  /// ``StoreError/Code/unavailable``. A database that was used with a remote can't be opened as a local-only one; one that never
  /// had a remote can, and what waited there is final then. The other way round, the documents of a local-only database are sent
  /// to the remote with which it is opened later.
  ///
  /// An app whose backend is `.embedded` works local-only by itself while no linked library serves its documents.
  public var isLocalOnly: Bool

  /// Which documents are taken away that nothing needs.
  public var garbageCollection: GarbageCollection

  /// The indexes over several fields, see ``CompositeIndex``; none with an empty list, and those that were declared last when
  /// `nil`. They are built beside other work, see ``Store/buildIndexes(reporting:)``.
  public var indexes: [CompositeIndex]?

  /// 100 MiB, as Firestore's.
  public static let defaultThreshold = 100 * 1024 * 1024

  /// Creates settings, by default for a database with a remote, with a cache of 100 MiB of the documents used last and the
  /// indexes that were declared last.
  public init(
    garbageCollection: GarbageCollection = .leastRecentlyUsed(threshold: defaultThreshold),
    indexes: [CompositeIndex]? = nil, isLocalOnly: Bool = false
  ) {
    self.isLocalOnly = isLocalOnly
    self.garbageCollection = garbageCollection
    self.indexes = indexes
  }
}
