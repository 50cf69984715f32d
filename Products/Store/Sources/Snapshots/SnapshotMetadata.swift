import TenonStoreEngine

/// The relation of a snapshot to the state of the remote. In a local-only database, and for collections that
/// exist only on this device, all values are always `false`.
public struct SnapshotMetadata: Sendable, Hashable, CustomStringConvertible {
  /// Whether the snapshot contains writes of this device that the remote hasn't confirmed, or whose result it
  /// hasn't sent yet.
  public let hasPendingWrites: Bool
  /// Whether the remote hasn't confirmed that the snapshot is current. Always `false` in a local-only
  /// database.
  public let isFromCache: Bool
  /// Whether the document is an estimate: this device has never read it, and its own writes that the remote
  /// hasn't confirmed have changed single fields. Other fields may be missing, and an increment is shown as
  /// if the field had been 0. Ends when the remote has sent the document or confirmed the writes. Always
  /// `false` for the result of a query.
  public let isEstimate: Bool

  /// Creates metadata, by default that of a snapshot that the remote has confirmed.
  ///
  /// - Parameters:
  ///   - hasPendingWrites: whether the snapshot contains writes that the remote hasn't confirmed.
  ///   - isFromCache: whether the remote hasn't confirmed that the snapshot is current.
  ///   - isEstimate: whether this device has never read the document.
  public init(hasPendingWrites: Bool = false, isFromCache: Bool = false, isEstimate: Bool = false) {
    self.hasPendingWrites = hasPendingWrites
    self.isFromCache = isFromCache
    self.isEstimate = isEstimate
  }

  /// Creates the metadata of a document with stored flags.
  init(flags: Int64, isFromCache: Bool) {
    self.init(
      hasPendingWrites: StoredDocument.isPending(flags), isFromCache: isFromCache,
      isEstimate: StoredDocument.isPartial(flags))
  }

  /// The metadata on one line, for example `pending writes, from cache`.
  public var description: String {
    let parts =
      (hasPendingWrites ? ["pending writes"] : []) + (isFromCache ? ["from cache"] : [])
      + (isEstimate ? ["estimate"] : [])
    return parts.isEmpty ? "confirmed" : parts.joined(separator: ", ")
  }

  /// The metadata in brackets; empty if the snapshot is confirmed.
  var suffix: String { self == SnapshotMetadata() ? "" : " [\(self)]" }
}

/// The source of a read.
public enum FirestoreSource: Sendable, Hashable {
  /// The remote, or the cache of this device if the remote can't be reached.
  case `default`
  /// The remote only.
  case server
  /// The cache of this device only.
  case cache
}

/// The source of a listener's changes.
public enum ListenSource: Sendable, Hashable {
  /// The remote and this device.
  case `default`
  /// This device only: its writes, and what other listeners of this device receive.
  case cache
}

/// The value of a field whose server timestamp isn't known yet.
public enum ServerTimestampBehavior: Sendable, Hashable {
  /// The time of the write by this device's clock.
  case estimate
  /// The previous value of the field; null if it didn't exist.
  case previous
  /// Null.
  case none
}
