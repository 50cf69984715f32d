import TenonCore
import TenonFoundation
import TenonSQLite
import TenonValues

/// The database of accounts and objects: an SQLite database in a file or in memory.
///
/// The actor has a dedicated thread, because SQLite blocks. A transaction is durable when it returns.
actor EmbeddedDatabase {
  /// The thread of the actor.
  private let executor = QueueExecutor(label: "tenon.embedded.database")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The state of the connection.
  private enum State {
    /// No request has been made.
    case unopened
    /// The database is open.
    case open(Connection)
    /// The app was deleted.
    case closed
  }

  /// The ID of the project whose accounts are used. Several projects may share a directory.
  nonisolated let projectID: String
  /// The backend's directory; `nil` for a database in memory.
  nonisolated private let directory: String?
  /// The functions of this process that receive events.
  private let events: EventRegistry?
  /// The functions that are stored.
  private var storedFunctions = StoredFunctions()
  /// Whether writes are events for functions.
  var recordsEvents: Bool { events?.areEnabled ?? true }
  /// Whether the transaction has recorded events.
  var hasNewEvents = false
  /// The project whose accounts, sessions and codes are read and written: that of the backend, unless a
  /// transaction sets another one with ``enter(_:of:)``.
  private(set) var accountProject: String
  /// The tenant whose accounts, sessions and codes are read and written; `nil` for those of the project itself.
  /// A transaction sets it with ``enter(_:of:)``.
  private(set) var tenantID: String?
  /// Returns the current time.
  let now: @Sendable () -> Timestamp
  /// The connection, once it has been opened.
  private var state = State.unopened
  /// Shows other processes that this one uses the directory; `nil` before the database is opened, and in
  /// memory.
  private var lease: DirectoryLease?
  /// The contents of failed uploads that couldn't be deleted.
  var discarded: [Int64] = []

  /// Creates a database that is opened by the first request.
  ///
  /// - Parameters:
  ///   - directory: the directory of the backend, which is created if necessary; `nil` for a database in
  ///     memory.
  ///   - projectID: the ID of the project.
  ///   - events: the functions that receive events; none by default.
  ///   - now: returns the current time.
  init(
    directory: String?, projectID: String, events: EventRegistry? = nil,
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.events = events
    self.directory = directory
    self.projectID = projectID
    accountProject = projectID
    self.now = now
  }

  /// Runs a closure in a transaction.
  ///
  /// - Parameter body: reads and writes the database.
  /// - Returns: the value that `body` returns. All changes are durable.
  /// - Throws: the error that `body` throws, or `SQLiteError`. Nothing was changed.
  func transaction<Result: Sendable>(
    _ body: @Sendable (isolated EmbeddedDatabase) throws -> Result
  ) throws -> Result {
    let connection = try opened()
    if let events { try storedFunctions.update(from: events, .others, connection, projectID, now: now()) }
    hasNewEvents = false
    let result = try connection.transaction { try body(self) }
    if hasNewEvents { events?.wake(.others) }
    return result
  }

  /// Runs a closure on one state of the database.
  ///
  /// - Parameter body: reads the database; it must not write.
  /// - Returns: the value that `body` returns.
  func read<Result: Sendable>(
    _ body: @Sendable (isolated EmbeddedDatabase) throws -> Result
  ) throws -> Result {
    try opened().transaction(.deferred) { try body(self) }
  }

  /// Restricts the transaction to the accounts, sessions and codes of a project or of one of its tenants, until
  /// ``leave()``.
  ///
  /// - Throws: ``Refusal`` with `TENANT_NOT_FOUND`, or with `PROJECT_DISABLED` if an administrator has disabled
  ///   the tenant.
  func enter(_ tenantID: String?, of project: String) throws {
    accountProject = project
    if let tenantID {
      // The tenant is one of the project that has just been entered.
      defer { if self.tenantID == nil { accountProject = projectID } }
      guard let tenant = try tenant(tenantID) else { throw AccountService.refusal("TENANT_NOT_FOUND") }
      guard !tenant.disableAuth else { throw AccountService.refusal("PROJECT_DISABLED") }
      self.tenantID = tenantID
    }
  }

  /// Ends the restriction of ``enter(_:of:)``.
  func leave() { (tenantID, accountProject) = (nil, projectID) }

  /// Closes the database. Later requests fail with status 503.
  func close() {
    state = .closed
    lease = nil
  }

  /// Returns the connection; opens the database if necessary.
  ///
  /// - Throws: ``Refusal`` with status 503 after ``close()``, with status 500 if the directory can't be
  ///   created; `SQLiteError` if the database can't be opened.
  func opened() throws -> Connection {
    switch state {
    case .open(let connection):
      return connection
    case .closed:
      throw Refusal(
        503,
        "The app of this backend was deleted.",
        reason: "backendError",
        statusName: "UNAVAILABLE"
      )
    case .unopened:
      let connection = try Connection.open(try file(), migrations: EmbeddedSchema.migrations)
      state = .open(connection)
      let acquired = connection.path.map { DirectoryLease("\($0).lock") }
      lease = acquired
      defer { acquired?.share() }
      do {
        if acquired?.isExclusive ?? true { try EventTable.releaseAll(connection, now: now()) }
        try deleteAbandonedContents(
          before: Timestamp(millisecondsSince1970: now().millisecondsSince1970 - ObjectUpload.lifetime),
          isAlone: acquired?.isExclusive ?? true)
      } catch let error as SQLiteError where error.code == .full || error.code == .busy {
        // Nothing depends on it, and the next opening tries again.
      }
      return connection
    }
  }

  /// Returns the path of the database, and creates its directory, to which no other user has access: the
  /// database contains password hashes and refresh tokens.
  ///
  /// - Throws: ``Refusal`` with status 500 if the directory can't be created.
  private func file() throws -> String? {
    guard let directory else { return nil }
    let own = "\(directory)/backend"
    do {
      try FileManager.default.createDirectory(
        atPath: own,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw Refusal(
        500, "The data directory \(own) can't be created: \(error.systemReason). Check AppOptions.backend.",
        reason: "backendError", statusName: "INTERNAL")
    }
    return "\(own)/backend.sqlite"
  }
}

extension EmbeddedDatabase: EventSource {
  nonisolated var isShared: Bool { directory != nil }

  func withEvents<Result: Sendable>(_ body: @Sendable (EventTable) throws -> Result) throws -> Result {
    try transaction { try body(EventTable(connection: try $0.opened(), projectID: projectID)) }
  }

  func hasForeignEvents() throws -> Bool {
    let connection = try opened()
    if let events { try storedFunctions.update(from: events, .others, connection, projectID, now: now()) }
    return try storedFunctions.noteVersion(connection.dataVersion)
  }
}
