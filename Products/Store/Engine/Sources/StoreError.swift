public import TenonFoundation
import TenonSQLite
package import TenonStoreInterop

/// The error of an operation of Store.
public struct StoreError: LocalizedError, Sendable, CustomStringConvertible {
  /// The kind of error, stable across versions; Firestore's code where it has one.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as text, for example `not-found`.
    public let rawValue: String

    /// Creates a code that this version doesn't know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code as text, which is ``rawValue``.
    public var description: String { rawValue }

    /// The task was cancelled, the write was removed from the queue, or another user signed in.
    public static let cancelled = Code(rawValue: "cancelled")
    /// A path, a value, a query or a name breaks a rule.
    public static let invalidArgument = Code(rawValue: "invalid-argument")
    /// The document doesn't exist.
    public static let notFound = Code(rawValue: "not-found")
    /// The document already exists.
    public static let alreadyExists = Code(rawValue: "already-exists")
    /// The user lacks permission.
    public static let permissionDenied = Code(rawValue: "permission-denied")
    /// The document isn't in the state that the write expects, the object can't be used again, or the
    /// database's file can't be used in this way, for example because it can only be read.
    public static let failedPrecondition = Code(rawValue: "failed-precondition")
    /// Others changed what the transaction had read, in every attempt. Nothing was changed.
    public static let aborted = Code(rawValue: "aborted")
    /// The disk is full, or a quota of the remote or of this library is exhausted. Nothing was changed; for a
    /// full disk, with the exception described at ``unavailable``.
    public static let resourceExhausted = Code(rawValue: "resource-exhausted")
    /// The remote can't be reached, or no linked library provides one; another process has locked the
    /// database, the disk failed, or the database's file was deleted or moved while it was open. Nothing was
    /// changed; try again.
    ///
    /// There is one exception: the part of a commit that SQLite has written before the disk failed stays in
    /// its log until the next write overwrites it. If the process is killed before that, the commit is
    /// applied when the database is opened again.
    public static let unavailable = Code(rawValue: "unavailable")
    /// The database's file is damaged. It isn't changed; see ``Store/setAsideDamagedFile()``.
    public static let dataLoss = Code(rawValue: "data-loss")
    /// The database is encrypted and the key is missing, wrong or can't be obtained. It isn't changed; see
    /// ``StoreSettings/encryption``.
    public static let encryptionKey = Code(rawValue: "encryption-key")
    /// The remote requires a signed-in user, or the signed-in user can't be determined.
    public static let unauthenticated = Code(rawValue: "unauthenticated")
    /// The database is closed because its app was deleted or it was terminated.
    public static let closed = Code(rawValue: "closed")
    /// The remote didn't respond in time. It may have carried out the operation.
    public static let deadlineExceeded = Code(rawValue: "deadline-exceeded")
    /// A value is out of the range that the remote accepts.
    public static let outOfRange = Code(rawValue: "out-of-range")
    /// The remote doesn't support the operation.
    public static let unimplemented = Code(rawValue: "unimplemented")
    /// The remote failed without a known reason; see ``StoreError/underlying``.
    public static let unknown = Code(rawValue: "unknown")
    /// An error of this library.
    public static let `internal` = Code(rawValue: "internal")
  }

  /// The kind of error.
  public let code: Code
  /// A sentence that names the problem and a solution, in the terms of the app.
  public let message: String
  /// The underlying error, for example of the remote, SQLite or a value's conversion; `nil` if there is none.
  public let underlying: (any Error)?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: the kind of error.
  ///   - message: a sentence that names the problem and a solution.
  ///   - underlying: the error that caused it; `nil` by default.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  /// The message and the code, as in
  /// `"The document notes/tea isn't in the cache; read it from the server. (unavailable)"`.
  public var description: String { "\(message) (\(code.rawValue))" }
  /// The same text as ``description``; Foundation's `localizedDescription` returns it.
  public var errorDescription: String? { description }
}

extension StoreError {
  /// Creates the error that users see for an invalid or damaged document; see ``wrapping(_:)``.
  package init(_ error: DocumentError) {
    self.init(error.code == .damaged ? .dataLoss : .invalidArgument, error.message, underlying: error)
  }

  /// Returns the error that users see for an error of a layer below; other errors are returned unchanged.
  ///
  /// A `DocumentError` becomes ``Code/dataLoss`` if stored bytes are damaged, otherwise
  /// ``Code/invalidArgument``; a `StoreRemoteError` keeps its code; an `SQLiteError` becomes
  /// ``Code/dataLoss``, ``Code/resourceExhausted``, ``Code/unavailable``, ``Code/encryptionKey``,
  /// ``Code/failedPrecondition`` or ``Code/internal``. The original is the ``underlying`` error.
  package static func wrapping(_ error: any Error) -> any Error {
    switch error {
    case let error as DocumentError:
      StoreError(error)
    case let error as StoreRemoteError:
      StoreError(Code(rawValue: error.code.rawValue), error.message, underlying: error)
    case let error as SQLiteError:
      StoreError(code(of: error), message(of: error), underlying: error)
    default: error
    }
  }

  /// Returns the code for an error of SQLite; see ``wrapping(_:)``.
  private static func code(of error: SQLiteError) -> Code {
    switch error.code {
    case .damaged: .dataLoss
    case .full: .resourceExhausted
    case .busy, .io, .cannotOpen, .moved: .unavailable
    case .newerSchema, .readOnly, .foreign, .noCipher: .failedPrecondition
    case .changed: .aborted
    case .keyMissing, .keyWrong, .notEncrypted: .encryptionKey
    default: .internal
    }
  }

  /// Returns the message for an error of SQLite, which names the database file.
  private static func message(of error: SQLiteError) -> String {
    let file = error.path.map { "The database \($0)" } ?? "The database in memory"
    return switch error.code {
    case .damaged: damaged(error.path, error.message).message
    case .full:
      "\(file) can't grow: the disk is full. Nothing was changed. Make space on the disk, or delete documents."
    case .busy: "\(file) is locked by another process. Try again."
    case .moved:
      "\(file) was deleted or moved while it was open; nothing was changed, because it would be lost. Put it "
        + "back, or call terminate() and open the database again, which begins with an empty one."
    case .foreign:
      "\(file) is an SQLite database of another program and was left as it is. Choose another directory for "
        + "this app's data, or another database ID."
    case .readOnly: readOnly(error.path, error.message).message
    case .changed: "\(file) was changed by another process while it was read. Try again."
    case .keyMissing:
      "\(file) is encrypted, and was left as it is. Open it with its key: StoreSettings(encryption: .key { … })."
    case .keyWrong:
      "\(file) is encrypted with another key, and was left as it is. Open it with the key with which it was encrypted."
    case .notEncrypted: "\(file) isn't encrypted, so its key can't be replaced."
    case .noCipher:
      "\(file) can't be opened, because \(error.message). Install OpenSSL, or open another database without a key."
    default: "\(file) failed: \(error.message)."
    }
  }

  /// Returns the error for a damaged file.
  ///
  /// - Parameters:
  ///   - path: the file; `nil` for a database in memory.
  ///   - what: the kind of damage, without a final period.
  ///   - underlying: the underlying error.
  package static func damaged(_ path: String?, _ what: String, underlying: (any Error)? = nil) -> StoreError {
    let file = path.map { "The database \($0)" } ?? "The database in memory"
    return StoreError(
      .dataLoss,
      "\(file) is damaged and was left as it is: \(what). "
        + "Replace it with a copy, or set it aside with setAsideDamagedFile() to begin with an empty one.",
      underlying: underlying)
  }

  /// Returns the error for a database that can't be written.
  ///
  /// - Parameters:
  ///   - path: the file; `nil` for a database in memory.
  ///   - what: what follows from that, without a final period.
  static func readOnly(_ path: String?, _ what: String) -> StoreError {
    let file = path.map { "The database \($0)" } ?? "The database in memory"
    return StoreError(
      .failedPrecondition,
      "\(file) can only be read, because its medium is read-only or the process may not write to the file or its "
        + "directory: \(what). To change it, copy it to a directory that can be written.")
  }

  /// Returns the error for opening a database as local-only that was used with a remote.
  static func shared(_ path: String?) -> StoreError {
    let file = path.map { "The database \($0)" } ?? "The database in memory"
    return StoreError(
      .failedPrecondition,
      "\(file) is shared through a remote, so it can't be opened as a local-only one. "
        + "Open it with its remote, use another database ID, or delete its content with clearPersistence().")
  }
}

/// Runs a validation, and throws its error as the ``StoreError`` that users see.
package func checked<Result>(_ body: () throws(DocumentError) -> Result) throws -> Result {
  do { return try body() } catch { throw StoreError(error) }
}
