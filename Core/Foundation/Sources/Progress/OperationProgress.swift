/// How far an operation has come that processes units one after the other: the bytes of an upload, a
/// download, a backup or a restoration, or the documents of a deletion or an index.
///
/// The properties have the names and meanings of Foundation's `Progress`, whose objects can't be passed
/// between tasks. It is public, unlike everything else in this module: Storage and Store export it.
public struct OperationProgress: Sendable, Hashable {
  /// The number of units that have been processed. It never decreases from one report to the next.
  public let completedUnitCount: Int64
  /// The total number of units; `nil` while it isn't known.
  public let totalUnitCount: Int64?

  /// Creates a progress.
  package init(completedUnitCount: Int64, totalUnitCount: Int64?) {
    self.completedUnitCount = completedUnitCount
    self.totalUnitCount = totalUnitCount
  }

  /// The completed fraction, from 0 to 1; 0 if the total is unknown.
  public var fractionCompleted: Double {
    guard let totalUnitCount else { return 0 }
    guard totalUnitCount > 0 else { return 1 }
    return min(max(Double(completedUnitCount) / Double(totalUnitCount), 0), 1)
  }
}
