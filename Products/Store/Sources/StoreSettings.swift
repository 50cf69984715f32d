/// How a database keeps what comes from a remote.
public struct StoreSettings: Sendable, Hashable {
  /// From how many bytes on documents are taken away that nobody has used for long and nothing needs: none when `nil`.
  ///
  /// It is a threshold and not a limit: what is listened to, or waits to be sent, stays.
  public var cacheSize: Int?

  /// 100 MiB, as Firestore's.
  public static let defaultCacheSize = 100 * 1024 * 1024

  /// Creates settings, with a cache of 100 MiB by default.
  public init(cacheSize: Int? = defaultCacheSize) { self.cacheSize = cacheSize }
}
