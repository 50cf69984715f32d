/// How a database keeps documents: those that come from a remote, and the indexes that were declared.
public struct StoreSettings: Sendable, Hashable {
  /// Which documents are taken away that nothing needs: no listener, and no write that waits.
  public enum GarbageCollection: Sendable, Hashable {
    /// All of them, as soon as nothing needs them.
    case eager
    /// Those that nobody has used for the longest time, once the database has more bytes than `threshold`; none when it is
    /// `nil`. It is a threshold and not a limit: what is needed stays.
    case leastRecentlyUsed(threshold: Int?)
  }

  /// Which documents are taken away that nothing needs.
  public var garbageCollection: GarbageCollection

  /// The indexes over several fields, see ``CompositeIndex``; none with an empty list, and those that were declared last when
  /// `nil`. They are built beside other work, see ``Store/buildIndexes(reporting:)``.
  public var indexes: [CompositeIndex]?

  /// 100 MiB, as Firestore's.
  public static let defaultThreshold = 100 * 1024 * 1024

  /// Creates settings, by default with a cache of 100 MiB of those used last, and the indexes that were declared last.
  public init(
    garbageCollection: GarbageCollection = .leastRecentlyUsed(threshold: defaultThreshold),
    indexes: [CompositeIndex]? = nil
  ) {
    self.garbageCollection = garbageCollection
    self.indexes = indexes
  }
}
