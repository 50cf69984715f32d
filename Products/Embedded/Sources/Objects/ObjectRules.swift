import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTelemetry
import TenonTransport

/// Decides which accesses to objects are allowed: closures, or rules in another form.
protocol ObjectAuthorizer: Sendable {
  /// Returns whether it decides about a bucket. The settings decide about the others.
  func decides(about bucket: String) -> Bool

  /// Returns whether an access is allowed. It is called while the database is in use, and never for
  /// administrators.
  ///
  /// - Parameters:
  ///   - access: the access to a bucket about which it decides.
  ///   - caller: the caller.
  ///   - documents: the documents that were read for the request.
  /// - Throws: ``NeededDocuments`` if other documents must be read first.
  func allows(_ access: ObjectAccess, by caller: Caller, _ documents: ReadDocuments) throws -> Bool
}

/// The documents of the default database that were read for a request about objects.
typealias ReadDocuments = [ResourcePath: RemoteDocument]

/// The error of a decision that depends on documents that weren't read yet.
struct NeededDocuments: Error {
  /// The paths of the documents.
  let paths: [ResourcePath]
}

/// The rules of an app, which allow or deny access to objects.
final class ObjectRules: Sendable {
  /// What decides; `nil` to allow all access.
  private let authorizer = Lock<(any ObjectAuthorizer)?>(nil)
  /// Counts the verdicts.
  private let telemetry: Telemetry

  /// Creates rules that allow all access.
  init(telemetry: Telemetry = .silent) { self.telemetry = telemetry }

  /// What decides; `nil` if all access is allowed.
  var current: (any ObjectAuthorizer)? { authorizer.withLock { $0 } }

  /// Replaces what decides; `nil` allows all access.
  func replace(with new: (any ObjectAuthorizer)?) { authorizer.withLock { $0 = new } }

  /// Replaces the closure of a bucket. Rules in another form no longer apply.
  ///
  /// - Parameters:
  ///   - bucket: the bucket; `nil` for all that have no separate closure.
  ///   - allows: the closure; `nil` for none.
  func replace(in bucket: String?, with allows: ObjectClosures.Decision?) {
    authorizer.withLock { authorizer in
      var closures = authorizer as? ObjectClosures ?? ObjectClosures()
      closures.decisions[bucket] = allows
      authorizer = closures.decisions.isEmpty ? nil : closures
    }
  }

  /// Whether rules decide about any bucket.
  var isRestricting: Bool { authorizer.withLock { $0 != nil } }

  /// Returns whether rules decide about a bucket.
  func decide(about bucket: String) -> Bool { authorizer.withLock { $0 }?.decides(about: bucket) ?? false }

  /// Checks an access. Without rules, it is allowed; for administrators, they aren't asked.
  ///
  /// - Parameters:
  ///   - operation: the kind of access.
  ///   - path: the name of the object, or the prefix of the list.
  ///   - bucket: the bucket.
  ///   - caller: the caller.
  ///   - object: the object before the access.
  ///   - newObject: the object after the access.
  ///   - documents: the documents that were read for the request.
  /// - Throws: ``Refusal`` with status 403; ``NeededDocuments``.
  func check(
    _ operation: ObjectAccess.Operation, _ path: String, in bucket: String, by caller: Caller,
    object: ObjectAccess.Resource? = nil, newObject: ObjectAccess.Resource? = nil,
    _ documents: ReadDocuments
  ) throws {
    guard !caller.isAdministrator, let authorizer = authorizer.withLock({ $0 }),
      authorizer.decides(about: bucket)
    else { return }
    let access = ObjectAccess(
      operation: operation, auth: caller.auth, bucket: bucket, path: path, object: object,
      newObject: newObject)
    let isAllowed = try authorizer.allows(access, by: caller, documents)
    telemetry.countVerdict(on: "objects", isAllowed: isAllowed)
    guard isAllowed else { throw Refusal.denied(operation.permission) }
  }
}

/// The closures of ``Embedded/onObjectAccess(bucket:_:)``.
struct ObjectClosures: ObjectAuthorizer {
  /// Returns whether an access is allowed.
  typealias Decision = @Sendable (ObjectAccess) -> Bool

  /// The closures by the names of their buckets. That of all buckets has no name.
  var decisions: [String?: Decision] = [:]

  func decides(about bucket: String) -> Bool { decisions[bucket] != nil || decisions[nil] != nil }

  func allows(_ access: ObjectAccess, by caller: Caller, _ documents: ReadDocuments) -> Bool {
    (decisions[access.bucket] ?? decisions[nil])?(access) ?? false
  }
}

extension ObjectAccess.Operation {
  /// The permission in the error of a denied access: `READ`, `LIST` or `WRITE`, as in the Storage emulator.
  var permission: String {
    switch self {
    case .get: "READ"
    case .list: "LIST"
    default: "WRITE"
    }
  }
}
