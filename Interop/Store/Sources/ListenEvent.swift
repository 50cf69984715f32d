#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An event of a listen stream (`google.firestore.v1.ListenResponse`).
public enum ListenEvent: Sendable {
  /// The state of one or more targets has changed.
  case target(TargetChange)
  /// The new state of a document, the targets to which it now belongs and those to which it no longer
  /// belongs. A document without fields was deleted.
  case document(RemoteDocument, added: [Int], removed: [Int])
  /// A document no longer belongs to these targets. It may still exist.
  case removed(ResourcePath, from: [Int])
  /// The number of documents that a target contains, by which a listener detects a missed removal.
  case existenceFilter(ExistenceFilter)
}

/// A change of the state of targets (`google.firestore.v1.TargetChange`).
public struct TargetChange: Sendable {
  /// The kind of change.
  public enum Kind: Sendable {
    /// No change other than the token and the read time.
    case noChange
    /// The targets were added.
    case added
    /// The targets were removed: as requested (`nil`), or because of an error.
    case removed((any Error)?)
    /// The initial state of the targets has been sent in full, as of the next consistent snapshot.
    case current
    /// The state sent so far is invalid; the targets are sent again from the beginning.
    case reset
  }

  /// The kind of change.
  public var kind: Kind
  /// The targets; an empty array stands for all.
  public var targets: [Int]
  /// The token with which the targets can be resumed; `nil` if it is unchanged.
  public var token: Data?
  /// The time of a consistent snapshot, if ``targets`` is empty.
  public var readTime: Timestamp?

  /// Creates a change.
  public init(_ kind: Kind, targets: [Int] = [], token: Data? = nil, readTime: Timestamp? = nil) {
    self.kind = kind
    self.targets = targets
    self.token = token
    self.readTime = readTime
  }
}

/// The number and the names of the documents of a target
/// (`google.firestore.v1.ExistenceFilter`).
public struct ExistenceFilter: Sendable, Hashable {
  /// The target.
  public var target: Int
  /// The number of documents that belong to the target.
  public var count: Int
  /// A bloom filter over the names of the documents; `nil` if the remote provides none.
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
  /// The bits, least significant bit of each byte first.
  public var bitmap: Data
  /// The number of unused high bits of the last byte, 0 to 7.
  public var padding: Int
  /// The number of hash functions.
  public var hashCount: Int
  /// The prefix of a document's path in its full name, for example
  /// `projects/P/databases/(default)/documents/`.
  public var prefix: String

  /// Creates a filter.
  public init(bitmap: Data, padding: Int, hashCount: Int, prefix: String) {
    self.bitmap = bitmap
    self.padding = padding
    self.hashCount = hashCount
    self.prefix = prefix
  }
}
