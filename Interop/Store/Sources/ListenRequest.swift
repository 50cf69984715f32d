#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A wish to watch something, or to end that (`google.firestore.v1.ListenRequest`).
public enum ListenRequest: Sendable {
  /// Watches a target. If it is watched already under that number, it begins anew.
  case add(ListenTarget)
  /// Ends a target.
  case remove(target: Int)
}

/// What is watched (`google.firestore.v1.Target`).
public struct ListenTarget: Sendable {
  /// What belongs to a target.
  public enum Content: Sendable {
    /// The documents of a query.
    case query(StructuredQuery)
    /// Single documents.
    case documents([ResourcePath])
  }

  /// From where on a target is sent.
  public enum Resumption: Sendable, Hashable {
    /// From the moment of a token that came with the target.
    case token(Data)
    /// From a moment.
    case readTime(Timestamp)
  }

  /// Why a target is watched; remotes may pass it on for statistics.
  public enum Purpose: Sendable, Hashable {
    /// Somebody listens.
    case listen
    /// The count of an existence filter differed, and the target is read anew.
    case existenceFilterMismatch
    /// As before, although the filter had told names apart.
    case existenceFilterMismatchBloom
    /// A document is asked for that a result no longer holds for a reason unknown here.
    case limboResolution
  }

  /// The number by which events name the target, positive.
  public var id: Int
  /// What belongs to it.
  public var content: Content
  /// From where on it is sent; from the beginning when `nil`.
  public var resumption: Resumption?
  /// How many documents the listener holds; with it, existence filters should tell names.
  public var expectedCount: Int?
  /// Why it is watched.
  public var purpose: Purpose

  /// Creates a target, from the beginning by default.
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
