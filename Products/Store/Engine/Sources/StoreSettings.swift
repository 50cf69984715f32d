public import TenonStoreInterop

/// The settings of a database: whether it is synchronized with a remote, how long documents are cached, and
/// which indexes it has.
public struct StoreSettings: Sendable, Hashable {
  /// Which cached documents are deleted when neither a listener nor a pending write uses them.
  public enum GarbageCollection: Sendable, Hashable {
    /// All of them, as soon as nothing uses them.
    case eager
    /// The least recently used ones, once the database is larger than `threshold` bytes; none if `threshold`
    /// is `nil`. This is a threshold, not a limit: documents in use are kept even if the database is larger.
    case leastRecentlyUsed(threshold: Int?)
  }

  /// When a write call returns.
  public enum WriteCompletion: Sendable, Hashable {
    /// When the write is durable on this device, so that the app works without a network. The remote's answer
    /// comes later: ``WriteConfirmation/confirmed()`` waits for it, and ``Store/onRejectedWrite`` receives
    /// rejections that no caller receives as an error.
    case durable
    /// When the remote has applied the write, as the calls of Firebase's SDK: the call throws the remote's
    /// rejection, whose effect on this device is then undone.
    ///
    /// The write is durable and visible on this device while the call waits, and without a network it waits
    /// until there is one. If its task is cancelled (`CancellationError`), if another user signs in
    /// (``StoreError/Code/cancelled``), or if the remote itself fails or the database is closed (their
    /// codes), the call ends and the write stays queued: a rejection that arrives later is one that nobody
    /// waits for. Nothing is written if no linked library provides a remote
    /// (``StoreError/Code/unavailable``).
    case confirmed
  }

  /// Whether the files of a database are encrypted, and with which key.
  public struct Encryption: Sendable, Hashable {
    /// Returns the key.
    let key: @Sendable () async throws -> EncryptionKey

    /// Encrypts the files of the database with AES-256-GCM.
    ///
    /// ```swift
    /// let settings = StoreSettings(encryption: .key { try await EncryptionKey(keychain.bytes("notes")) })
    /// ```
    ///
    /// - Parameter key: returns the key, for example from a keychain. It is called before the database is
    ///   opened, and again if that fails; the key stays in memory until the database is closed.
    /// - Returns: the setting.
    public static func key(_ key: @escaping @Sendable () async throws -> EncryptionKey) -> Encryption {
      Encryption(key: key)
    }

    /// Returns `true`: closures can't be compared, and the database continues to use the first one.
    public static func == (first: Encryption, second: Encryption) -> Bool { true }
    /// Hashes nothing, because all values are equal.
    public func hash(into hasher: inout Hasher) {}
  }

  /// What the rules of the server are used for on this device.
  public struct Rules: Sendable, Hashable {
    /// What follows if the rules deny a write.
    enum Action: Hashable {
      /// A warning.
      case advise
      /// An error.
      case refuse
    }

    let action: Action
    let rules: any WriteRules

    /// Logs a warning for a write that the server would reject, and queues it.
    ///
    /// The warning contains values of the documents and of the user's claims.
    ///
    /// - Parameter rules: the rules, for example `SecurityRules` of TenonRules.
    /// - Returns: the setting.
    public static func advise(_ rules: some WriteRules) -> Rules { Rules(action: .advise, rules: rules) }

    /// Refuses a write that the server would reject: the call throws
    /// ``StoreError/Code/permissionDenied``, and nothing is queued.
    ///
    /// - Parameter rules: the rules, for example `SecurityRules` of TenonRules.
    /// - Returns: the setting.
    public static func refuse(_ rules: some WriteRules) -> Rules { Rules(action: .refuse, rules: rules) }

    /// Returns whether both have the same consequence and rules with the same text.
    public static func == (first: Rules, second: Rules) -> Bool {
      first.action == second.action && first.rules.source == second.rules.source
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(action)
      hasher.combine(rules.source)
    }
  }

  /// When write calls return: `setData`, `updateData`, `create`, `delete`, `addDocument`, `commit`,
  /// `runTransaction` and `deleteCollection`. ``WriteCompletion/durable`` by default.
  ///
  /// It makes no difference in a local-only database and in collections that exist only on this device.
  public var writes: WriteCompletion

  /// Whether the database is used without a remote: the documents on this device are authoritative, a write
  /// is final and confirmed as soon as it is durable, and reads with ``FirestoreSource/server`` are answered
  /// by this device. `false` by default.
  ///
  /// Otherwise, while no linked library provides a remote, writes stay queued, and operations that need a
  /// remote throw ``StoreError/Code/unavailable``. A database that was used with a remote can't be opened as
  /// a local-only one. A database that never had a remote can; its queued writes then become final.
  /// Conversely, the documents of a local-only database are sent to the remote with which it is opened later.
  ///
  /// `TenonEmbedded` provides a remote for the backend `.embedded`, except for one in memory while the app's
  /// data is in a directory: the backend would forget what the app keeps.
  public var isLocalOnly: Bool

  /// Which cached documents are deleted when nothing uses them.
  public var garbageCollection: GarbageCollection

  /// The composite indexes; see ``CompositeIndex``. An empty array removes all of them; `nil` keeps those
  /// declared last. They are built in the background; see ``Store/buildIndexes(onProgress:)``.
  public var indexes: [CompositeIndex]?

  /// Which fields have their own index: by default, those that queries need.
  ///
  /// It is applied when the database is opened. When it has changed, indexes are built and deleted in the
  /// background; results are the same in the meantime. The indexes are part of the file, so processes that
  /// share one should have the same settings.
  public var fieldIndexing: FieldIndexing

  /// The settings of single fields. An empty array removes all of them; `nil` keeps those applied last.
  public var fieldOverrides: [FieldOverride]?

  /// The text indexes; see ``TextIndex``. An empty array removes all of them; `nil` keeps those declared
  /// last.
  public var textIndexes: [TextIndex]?

  /// The IDs of collections that exist only on this device, for example of drafts. An empty set declares that
  /// there are none; `nil` keeps those declared last.
  ///
  /// A document belongs to such a collection if the ID of the collection that directly contains it is
  /// declared, at any path. The documents are authoritative on this device: a write is final and confirmed as
  /// soon as it is durable, and is never sent. Listeners and reads don't contact the remote, need no network,
  /// and aren't from the cache; a read with ``FirestoreSource/server`` throws
  /// ``StoreError/Code/failedPrecondition``. The documents are shared by all users who sign in on this
  /// device, are never collected, and are part of backups.
  ///
  /// A batch or transaction writes either to such collections or to others; both together are
  /// ``StoreError/Code/invalidArgument``. A transaction that writes to such collections may read others: it
  /// compares them with this device's state when it commits. What the remote sends of such collections is
  /// ignored, and bundles that contain them are refused.
  ///
  /// The declaration is stored with the database, and applied when it is opened. Opening it throws
  /// ``StoreError/Code/failedPrecondition`` if a new collection has documents of the remote or pending
  /// writes, or if one that is no longer declared has documents, so that neither overwrites the other. All
  /// processes that use a file at the same time should declare the same. In a local-only database it only has
  /// the effect that these documents aren't sent to a remote with which the database is opened later, and
  /// that a collection with documents must remain declared.
  public var localCollections: Set<String>?

  /// Whether the files of the database are encrypted, and with which key; `nil`, the default, if they aren't.
  ///
  /// A database that was created without encryption is encrypted when it is opened with a key for the first
  /// time: an encrypted copy is written beside it and takes its place, which needs space for it and no other
  /// process that has the database open (``StoreError/Code/unavailable``). A process that is killed while it
  /// does so leaves the one or the other. An encrypted database can't be opened without its key, or with
  /// another one (``StoreError/Code/encryptionKey``), and isn't changed by the attempt.
  ///
  /// A database in memory isn't encrypted, but its backups are.
  public var encryption: Encryption?

  /// The rules of the server, by which this device decides about its own writes before it queues them; `nil`,
  /// the default, if it doesn't.
  ///
  /// They decide with what this device knows: the signed-in user, the claims of an ID token that hasn't
  /// expired, the cached documents with the pending writes, and the device's time. A write whose verdict
  /// depends on anything else is queued, and the server decides. It always has the last word: its documents
  /// may be newer than the cached ones, and its rules than those of the app.
  ///
  /// They apply to writes that are sent to a remote, but not to those of local-only databases and
  /// ``localCollections``, nor to the reads of transactions. The messages contain the lines of the rules, and
  /// values of the documents and the user's claims.
  public var rules: Rules?

  /// The default cache size threshold in bytes: 100 MiB, the same as Firestore's.
  public static let defaultThreshold = 100 * 1024 * 1024

  /// Creates settings. By default, the database has a remote, caches 100 MiB of the most recently used
  /// documents, and keeps the composite indexes declared last.
  ///
  /// - Parameters:
  ///   - garbageCollection: which cached documents are deleted when nothing uses them.
  ///   - indexes: the composite indexes; `nil` keeps those declared last.
  ///   - fieldIndexing: which fields have their own index; those that queries need, by default.
  ///   - fieldOverrides: the settings of single fields; `nil` keeps those applied last.
  ///   - textIndexes: the text indexes; `nil` keeps those declared last.
  ///   - localCollections: the IDs of collections that exist only on this device; `nil` keeps those declared
  ///     last.
  ///   - isLocalOnly: whether the database is used without a remote.
  ///   - writes: when write calls return; when the write is durable on this device, by default.
  ///   - encryption: whether the files are encrypted; `nil` if they aren't.
  ///   - rules: the rules by which this device decides about its writes; `nil` if it doesn't.
  public init(
    garbageCollection: GarbageCollection = .leastRecentlyUsed(threshold: defaultThreshold),
    indexes: [CompositeIndex]? = nil, fieldIndexing: FieldIndexing = .onFirstQuery,
    fieldOverrides: [FieldOverride]? = nil, textIndexes: [TextIndex]? = nil,
    localCollections: Set<String>? = nil, isLocalOnly: Bool = false, writes: WriteCompletion = .durable,
    encryption: Encryption? = nil, rules: Rules? = nil
  ) {
    self.writes = writes
    self.encryption = encryption
    self.rules = rules
    self.isLocalOnly = isLocalOnly
    self.fieldIndexing = fieldIndexing
    self.fieldOverrides = fieldOverrides
    self.textIndexes = textIndexes
    self.localCollections = localCollections
    self.garbageCollection = garbageCollection
    self.indexes = indexes
  }
}
