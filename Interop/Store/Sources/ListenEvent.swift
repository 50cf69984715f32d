#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a remote tells of its targets (`google.firestore.v1.ListenResponse`).
public enum ListenEvent: Sendable {
  /// Something happened to targets themselves.
  case target(TargetChange)
  /// A document's new state: it belongs to some targets, and no longer to others. One without fields was deleted.
  case document(RemoteDocument, added: [Int], removed: [Int])
  /// A document no longer belongs to targets. Whether it still exists isn't said.
  case removed(ResourcePath, from: [Int])
  /// How many documents a target holds, so that a listener notices that it missed a removal.
  case existenceFilter(ExistenceFilter)
}

/// What happened to targets (`google.firestore.v1.TargetChange`).
public struct TargetChange: Sendable {
  /// What happened.
  public enum Kind: Sendable {
    /// Nothing but what token and time say.
    case noChange
    /// The targets are watched from now on.
    case added
    /// The targets are no longer watched: as asked, or for an error.
    case removed((any Error)?)
    /// The targets have been sent whole, as of the next moment that all agree on.
    case current
    /// What was sent of the targets no longer holds; they are sent anew.
    case reset
  }

  /// What happened.
  public var kind: Kind
  /// Which targets are meant; all when empty.
  public var targets: [Int]
  /// From where the targets can be continued; `nil` when that is as before.
  public var token: Data?
  /// The moment as of which all targets agree, when no target in particular is meant.
  public var readTime: Timestamp?

  /// Creates a change.
  public init(_ kind: Kind, targets: [Int] = [], token: Data? = nil, readTime: Timestamp? = nil) {
    self.kind = kind
    self.targets = targets
    self.token = token
    self.readTime = readTime
  }
}

/// How many documents a target holds, and which (`google.firestore.v1.ExistenceFilter`).
public struct ExistenceFilter: Sendable {
  /// The target.
  public var target: Int
  /// How many documents belong to it.
  public var count: Int
  /// Tells names that don't belong to it; `nil` when the remote can't tell.
  public var names: BloomFilterBits?

  /// Creates a filter.
  public init(target: Int, count: Int, names: BloomFilterBits? = nil) {
    self.target = target
    self.count = count
    self.names = names
  }
}

/// The bits of a bloom filter over full document names, `projects/P/databases/D/documents/PATH`
/// (`google.firestore.v1.BloomFilter`).
public struct BloomFilterBits: Sendable, Hashable {
  /// The bits, the lowest of each byte first.
  public var bitmap: Data
  /// How many of the last byte's highest bits don't count, 0 to 7.
  public var padding: Int
  /// How many bits each name sets.
  public var hashCount: Int
  /// What stands before a document's path in the names, for example `projects/P/databases/(default)/documents/`.
  public var prefix: String

  /// Creates a filter.
  public init(bitmap: Data, padding: Int, hashCount: Int, prefix: String) {
    self.bitmap = bitmap
    self.padding = padding
    self.hashCount = hashCount
    self.prefix = prefix
  }
}
