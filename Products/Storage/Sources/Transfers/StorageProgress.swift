/// The progress of an upload or a download.
///
/// The properties have the names and meanings of Foundation's `Progress`, whose objects can't be passed between tasks.
public struct StorageProgress: Sendable, Hashable {
  /// The number of bytes that have been transferred. It never decreases.
  public let completedUnitCount: Int64
  /// The total number of bytes; `nil` if the server doesn't report it.
  public let totalUnitCount: Int64?

  /// The transferred fraction, from 0 to 1; 0 if the total is unknown.
  public var fractionCompleted: Double {
    guard let totalUnitCount else { return 0 }
    guard totalUnitCount > 0 else { return 1 }
    return min(max(Double(completedUnitCount) / Double(totalUnitCount), 0), 1)
  }
}
