import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// Why Store did not do what it was asked.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, stable across versions; where Firestore has a code, it is that one.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `not-found`.
    public let rawValue: String

    /// Creates a code that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The task was cancelled, the write was taken out of the queue, or another user signed in.
    public static let cancelled = Code(rawValue: "cancelled")
    /// A path, a value, a query or a name breaks a rule.
    public static let invalidArgument = Code(rawValue: "invalid-argument")
    /// The document isn't there.
    public static let notFound = Code(rawValue: "not-found")
    /// The document is there already.
    public static let alreadyExists = Code(rawValue: "already-exists")
    /// The user may not do this.
    public static let permissionDenied = Code(rawValue: "permission-denied")
    /// The document isn't in the state that the write expects, or the object has been used up.
    public static let failedPrecondition = Code(rawValue: "failed-precondition")
    /// What a transaction had read was changed by others each time that it was tried. Nothing was changed.
    public static let aborted = Code(rawValue: "aborted")
    /// The disk is full, or a quota of the remote is used up. Nothing was changed; for a full disk, with the exception that
    /// ``unavailable`` names.
    public static let resourceExhausted = Code(rawValue: "resource-exhausted")
    /// The remote can't be reached, or no linked library provides one; another process kept the database locked, or the
    /// disk failed. Nothing was changed; try again.
    ///
    /// There is one exception: what SQLite has written of a commit before the disk failed stays in its log until the next
    /// write overwrites it. If the process is killed before that, the write is made when the database is opened again.
    public static let unavailable = Code(rawValue: "unavailable")
    /// The database's file is damaged. It is left as it is; see ``Store/setAsideDamagedFile()``.
    public static let dataLoss = Code(rawValue: "data-loss")
    /// The remote wants somebody to be signed in, or who is signed in can't be found out.
    public static let unauthenticated = Code(rawValue: "unauthenticated")
    /// The database was closed, because its app was deleted or it was terminated.
    public static let closed = Code(rawValue: "closed")
    /// The remote took too long. It may have done what it was asked for all the same.
    public static let deadlineExceeded = Code(rawValue: "deadline-exceeded")
    /// The remote was asked for something beyond what there is.
    public static let outOfRange = Code(rawValue: "out-of-range")
    /// The remote doesn't do what it was asked for.
    public static let unimplemented = Code(rawValue: "unimplemented")
    /// The remote failed, and says no more; see ``StoreError/underlying``.
    public static let unknown = Code(rawValue: "unknown")
    /// An error of this library.
    public static let `internal` = Code(rawValue: "internal")
  }

  /// What went wrong.
  public let code: Code
  /// A sentence that names the thing and says what to do.
  public let message: String
  /// What the layer below reported, if anything.
  public let underlying: (any Error)?

  /// Creates an error.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  /// The message and the code.
  public var description: String { "\(message) (\(code.rawValue))" }
}

extension StoreError {
  /// The error that users see for one of a layer below; others stay as they are.
  package static func wrapping(_ error: any Error) -> any Error {
    switch error {
    case let error as DocumentError:
      StoreError(error.code == .damaged ? .dataLoss : .invalidArgument, error.message, underlying: error)
    case let error as StoreRemoteError:
      StoreError(Code(rawValue: error.code.rawValue), error.message, underlying: error)
    case let error as SQLiteError:
      StoreError(code(of: error), message(of: error), underlying: error)
    default: error
    }
  }

  private static func code(of error: SQLiteError) -> Code {
    switch error.code {
    case .damaged: .dataLoss
    case .full: .resourceExhausted
    case .busy, .io, .readOnly, .cannotOpen: .unavailable
    case .newerSchema: .failedPrecondition
    default: .internal
    }
  }

  private static func message(of error: SQLiteError) -> String {
    let file = error.path.map { "The database \($0)" } ?? "The database in memory"
    return switch error.code {
    case .damaged: damaged(error.path, error.message).message
    case .full: "\(file) can't grow: the disk is full. Nothing was changed."
    case .busy: "\(file) is locked by another process. Try again."
    default: "\(file) failed: \(error.message)."
    }
  }

  /// The error for a file that is damaged.
  static func damaged(_ path: String?, _ what: String, underlying: (any Error)? = nil) -> StoreError {
    let file = path.map { "The database \($0)" } ?? "The database in memory"
    return StoreError(
      .dataLoss,
      "\(file) is damaged and was left as it is: \(what). "
        + "Put a copy in its place, or set it aside with setAsideDamagedFile() to begin anew.",
      underlying: underlying)
  }

  /// The error for a database that was used with a remote and is opened as a local-only one.
  static func shared(_ path: String?) -> StoreError {
    let file = path.map { "The database \($0)" } ?? "The database in memory"
    return StoreError(
      .failedPrecondition,
      "\(file) is shared through a remote, so it can't be opened as a local-only one. "
        + "Open it with its remote, use another database ID, or delete its content with clearPersistence().")
  }
}
