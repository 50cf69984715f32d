#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A request of a listen stream (`google.firestore.v1.ListenRequest`).
public enum ListenRequest: Sendable, Hashable {
  /// Adds a target. A target of the same ID is replaced and sent again from the beginning.
  case add(ListenTarget)
  /// Removes a target.
  case remove(target: Int)
}

/// A set of documents to listen to (`google.firestore.v1.Target`).
public struct ListenTarget: Sendable, Hashable {
  /// The documents that belong to a target.
  public enum Content: Sendable, Hashable {
    /// The result of a query.
    case query(StructuredQuery)
    /// Individual documents.
    case documents([ResourcePath])
  }

  /// The point from which a target is resumed.
  public enum Resumption: Sendable, Hashable {
    /// The point identified by a resume token of an earlier stream.
    case token(Data)
    /// A read time.
    case readTime(Timestamp)
  }

  /// The reason for a target, which remotes may report for diagnostics.
  public enum Purpose: Sendable, Hashable {
    /// A listener.
    case listen
    /// The count of an existence filter didn't match, and the target is read again.
    case existenceFilterMismatch
    /// The count of an existence filter didn't match even after its bloom filter was applied.
    case existenceFilterMismatchBloom
    /// A document has left a result for an unknown reason and is looked up (limbo resolution).
    case limboResolution
  }

  /// The positive number that identifies the target in events. Targets of one stream have different IDs; that
  /// of a removed target may be used again.
  public var id: Int
  /// The documents that belong to the target.
  public var content: Content
  /// The point from which the target is resumed; `nil` for the beginning.
  public var resumption: Resumption?
  /// The number of documents that the listener already has, for a target that is resumed; `nil` otherwise. If
  /// it differs from the number at the point of resumption, the remote should send an existence filter with a
  /// bloom filter (`google.firestore.v1.Target.expected_count`).
  public var expectedCount: Int?
  /// The reason for the target.
  public var purpose: Purpose
  /// Whether the target is removed once its result is complete; only servers of documents know it.
  package var isOnce = false

  /// Creates a target, by default from the beginning.
  public init(
    id: Int, content: Content, resumption: Resumption? = nil, expectedCount: Int? = nil,
    purpose: Purpose = .listen
  ) {
    self.id = id
    self.content = content
    self.resumption = resumption
    self.expectedCount = expectedCount
    self.purpose = purpose
  }
}
