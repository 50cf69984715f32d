/// How a snapshot stands to what the remote has.
public struct SnapshotMetadata: Sendable, Hashable {
  /// Whether it holds writes of this device that the remote hasn't confirmed.
  public let hasPendingWrites: Bool
  /// Whether the remote hasn't confirmed that this is how it stands. Without a remote, what is here is the truth.
  public let isFromCache: Bool
}

/// Where something is read.
public enum ReadSource: Sendable, Hashable {
  /// At the remote; on this device when the remote can't be reached.
  case `default`
  /// At the remote only.
  case server
  /// On this device only.
  case cache
}

/// Where changes come from.
public enum ListenSource: Sendable, Hashable {
  /// From the remote, and from this device.
  case `default`
  /// From this device only: its own writes, and what others who listen here bring in.
  case cache
}

/// What a field holds that the remote sets to the moment of a commit, as long as that isn't known.
public enum ServerTimestampBehavior: Sendable, Hashable {
  /// The moment of the write on this device's clock.
  case estimate
  /// What the field held before; null if it wasn't there.
  case previous
  /// Null.
  case none
}
