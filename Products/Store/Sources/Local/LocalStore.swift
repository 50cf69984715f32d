import Foundation
import TenonDocuments
package import TenonSQLite
package import TenonStoreInterop

/// What lies on this device: documents, the writes that wait for the remote, and what is known of its targets.
///
/// It isn't `Sendable`: its owner confines it. Whatever changes something runs in a transaction of ``transaction(_:_:)``.
package final class LocalStore {
  /// What a transaction does, by the names that the official clients use.
  package enum Operation: String, Sendable {
    case write = "Locally write mutations"
    case acknowledge = "Acknowledge batch"
    case reject = "Reject batch"
    case cancel = "Cancel batch"
    case changeUser = "Handle user change"
    case nextBatch = "Get next mutation batch"
    case newestBatch = "Get highest unacknowledged batch id"
    case allocateTarget = "Allocate target"
    case releaseTarget = "Release target"
    case query = "Execute query"
    case lastRemoteVersion = "Get last remote snapshot version"
    case remoteEvent = "Apply remote event"
    case localViewChanges = "notifyLocalViewChanges"
    case saveToken = "Set last stream token"
    case collectGarbage = "Collect garbage"
    case loadBundle = "Save bundle"
    case saveNamedQuery = "Save named query"
    case open = "Open"
    case declareIndexes = "Declare indexes"
    case buildIndexes = "Build indexes"
  }

  let database: Connection
  /// Whether documents come from and go to a remote. Otherwise what is written here is the truth.
  let isShared: Bool
  let collection: StoreSettings.GarbageCollection
  private(set) var user: String?
  private let failure: (Operation) -> SQLiteError?

  private var collectionNumbers: [ResourcePath: Int64] = [:]
  private var collectionPaths: [Int64: ResourcePath] = [:]
  private var lastCollection: (path: ResourcePath, number: Int64)?
  let fieldNumbers: FieldNumbers

  /// The newest change that the owner has been told of.
  private(set) var lastChange: Int64 = 0
  private var isInTransaction = false
  private var isCancellable = false
  /// Called when a transaction was committed.
  var onCommit: () -> Void = {}
  /// Whether anybody is told what becomes of documents.
  var isObserved: () -> Bool = { true }
  /// What became of documents in the transaction that runs; `nil` when nobody is told.
  private var changed: [ResourcePath: StoredDocument?]?
  private var changedNames: [Int64: [String]] = [:]
  /// Documents that lost what held them, in the transaction that runs.
  var released: Set<ResourcePath> = []

  /// What the transaction that runs has yet to write down in the index.
  var entryChanges = EntryChanges()

  // Kept by LocalStore+Indexes.
  /// The declared indexes, as the transaction that runs has them.
  var indexes: [DeclaredIndex] = []
  var indexGeneration: Int64 = 0

  // Kept by LocalStore+Targets.
  var targets: [Int: TargetData] = [:]
  package var targetNumbers: [SyncTarget: Int] = [:]
  /// How many views show a document; it isn't collected then.
  var viewed: [ResourcePath: Int] = [:]
  /// Documents that views have ceased to show since the last transaction.
  var unviewed: Set<ResourcePath> = []
  private(set) var sequence: Int64 = 0
  /// The last moment on which all targets of this process agreed, or of the one before it.
  var remoteVersion = Timestamp.zero

  /// Opens the store over a connection whose schema is up to date.
  ///
  /// - Parameters:
  ///   - database: the connection.
  ///   - sharing: whether documents come from and go to a remote.
  ///   - collection: which documents go that nothing needs.
  ///   - user: who is signed in.
  ///   - isUserKnown: whether that is known; otherwise the user who was last known stays.
  ///   - now: the present moment, for documents that wait to be sent since there is a remote.
  ///   - failure: an error with which a transaction is to fail, for tests.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` when the database holds documents of a remote and is
  ///   opened as a local-only one; ``SQLiteError``.
  package init(
    _ database: Connection, sharing: Sharing,
    collection: StoreSettings.GarbageCollection = .leastRecentlyUsed(threshold: nil),
    user: String? = nil, isUserKnown: Bool = true, now: Timestamp,
    failure: @escaping (Operation) -> SQLiteError? = { _ in nil }
  ) throws {
    self.database = database
    fieldNumbers = FieldNumbers(database)
    self.collection = collection
    self.failure = failure
    isShared = sharing != .localOnly
    sequence = try Self.global("sequence", database).integer ?? 0
    lastChange = try ChangeLog.newest(in: database)
    remoteVersion = Timestamp(microsecondsSince1970: try Self.global("version", database).integer ?? 0)
    let former = try Self.sharing(of: database)
    guard isShared || former != .localOnly else { return }
    self.user = former == .localOnly ? user : try Self.global("user", database).text
    try transaction(.open) {
      try begin(as: sharing, at: now)
      guard isShared else { return }
      // Another process may have opened the database for the first time since.
      self.user = try global("user").text
      if isUserKnown, self.user != user { try showWrites(of: user) }
    }
  }

  // MARK: - Transactions

  /// What a transaction came to.
  struct Outcome<Result> {
    let result: Result
    /// The documents that changed, as they are now; none when nobody is told.
    let changes: [ResourcePath: StoredDocument?]
  }

  /// Runs `body` wholly or not at all, and tells which documents it changed.
  ///
  /// - Throws: what `body` throws, ``SQLiteError``.
  @discardableResult
  func changing<Result>(_ operation: Operation, _ body: () throws -> Result) throws -> Outcome<Result> {
    try transaction(operation) {
      let result = try body()
      return Outcome(result: result, changes: changed ?? [:])
    }
  }

  /// Runs `body` wholly or not at all.
  func transaction<Result>(_ operation: Operation, _ body: () throws -> Result) throws -> Result {
    if let error = simulatedFailure(operation) { throw error }
    let before = (targets, targetNumbers, sequence, user, remoteVersion)
    (changed, changedNames, released) = (isObserved() ? [:] : nil, [:], [])
    isInTransaction = true
    defer { isInTransaction = false }
    do {
      let (result, first, last) = try database.transaction {
        let first = try beginning()
        if isShared { sequence += 1 }
        let result = try body()
        for path in unviewed { try use(path) }
        if case .eager = collection { try collectReleased() }
        if isShared { try setGlobal("sequence", .integer(sequence)) }
        try entryChanges.write(to: database)
        return (result, first, try ChangeLog.append(changedNames, after: first, to: database))
      }
      unviewed = []
      // The owner learns of its own changes at once; those of other processes are taken in later.
      if first == lastChange { lastChange = last }
      onCommit()
      return result
    } catch {
      // What was noted in the transaction is gone with it.
      (targets, targetNumbers, sequence, user, remoteVersion) = before
      entryChanges.removeAll()
      collectionNumbers = [:]
      collectionPaths = [:]
      lastCollection = nil
      fieldNumbers.forget()
      indexGeneration = -1
      throw error
    }
  }

  /// What every transaction has to know first, in one statement: the declared indexes, which are read when they aren't the
  /// same any more, and the newest change, which is returned.
  private func beginning() throws -> Int64 {
    let (newest, generation) =
      try database.first(
        "SELECT (SELECT max(sequence) FROM changes), (SELECT value FROM globals WHERE name = 'indexes')"
      ) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
    try refreshIndexes(generation)
    return newest
  }

  /// Runs `body`, which ends early when the task that runs it is cancelled. Without this it doesn't: views are kept up to
  /// date in the task of whoever writes, and no writer that is cancelled may end the listening of others.
  func cancellable<Result>(_ body: () throws -> Result) throws -> Result {
    isCancellable = true
    defer { isCancellable = false }
    return try body()
  }

  func checkCancellation() throws { if isCancellable { try Task.checkCancellation() } }

  /// Runs `body` on one state of the database.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    if isInTransaction { return try body() }
    isInTransaction = true
    defer { isInTransaction = false }
    return try database.transaction(.deferred) {
      try refreshIndexes()
      return try body()
    }
  }

  /// The error with which an operation is to fail, in tests.
  func simulatedFailure(_ operation: Operation) -> SQLiteError? { failure(operation) }

  /// Makes room for what will be noted.
  func expectChanges(of count: Int) { changed?.reserveCapacity(count) }

  /// Notes what users see of a document from now on; `nil` when it is gone.
  func noteChange(of path: ResourcePath, to document: StoredDocument?, in collection: Int64) {
    let isKnown = changed?.updateValue(document, forKey: path) != nil
    if !isKnown { changedNames[collection, default: []].append(path.id) }
  }

  // MARK: - Changes of other processes

  /// The documents that changed since this was last asked, in this process or another; `nil` when so many did that they
  /// aren't known any more, and everything has to be read anew.
  func takeChanges() throws -> Set<ResourcePath>? {
    let newest = try ChangeLog.newest(in: database)
    guard newest != lastChange else { return [] }
    defer { lastChange = newest }
    var paths: Set<ResourcePath> = []
    let areKnown = try ChangeLog.forEach(after: lastChange, in: database) { collection, name in
      paths.insert(try path(of: collection).appending(name))
    }
    return areKnown ? paths : nil
  }

  // MARK: - Globals

  func global(_ name: String) throws -> SQLValue { try Self.global(name, database) }

  func setGlobal(_ name: String, _ value: SQLValue) throws {
    try database.run("INSERT OR REPLACE INTO globals (name, value) VALUES (?, ?)", [.text(name), value])
  }

  static func global(_ name: String, _ database: Connection) throws -> SQLValue {
    try database.first("SELECT value FROM globals WHERE name = ?", [.text(name)]) { $0.value(0) } ?? .null
  }

  /// Makes another user's writes the ones that count.
  func activate(user: String?) throws {
    self.user = user
    try setGlobal("user", .text(user))
  }

  // MARK: - Numbers of paths

  static func key(_ document: ResourcePath) -> Data {
    OrderedEncoding.encode(ResourcePath(segments: [document.id]))
  }

  func number(of collection: ResourcePath) throws -> Int64 {
    if let number = try existingNumber(of: collection) { return number }
    try database.run(
      "INSERT INTO collections (path, collection_id) VALUES (?, ?)",
      [.text(collection.text), .text(collection.id)]
    )
    collectionNumbers[collection] = database.lastInsertedRowID
    return database.lastInsertedRowID
  }

  func existingNumber(of collection: ResourcePath) throws -> Int64? {
    if let number = collectionNumbers[collection] { return number }
    let number = try database.first("SELECT id FROM collections WHERE path = ?", [.text(collection.text)]) {
      $0.integer(0)
    }
    collectionNumbers[collection] = number
    return number
  }

  /// The path of a collection.
  func path(of collection: Int64) throws -> ResourcePath {
    if let path = collectionPaths[collection] { return path }
    let text = try database.first("SELECT path FROM collections WHERE id = ?", [.integer(collection)]) {
      $0.text(0)
    }
    let path = ResourcePath(segments: (text ?? "").unicodeScalars.split(separator: "/").map(String.init))
    collectionPaths[collection] = path
    return path
  }

  /// Where a document stands in the tables.
  func place(of document: ResourcePath) throws -> (collection: Int64, name: String) {
    // Documents of one collection often follow each other.
    if let last = lastCollection, last.path.isParent(of: document) { return (last.number, document.id) }
    let path = ResourcePath(segments: Array(document.segments.dropLast()))
    let number = try number(of: path)
    lastCollection = (path, number)
    return (number, document.id)
  }
}

extension SQLValue {
  fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
  var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
}
