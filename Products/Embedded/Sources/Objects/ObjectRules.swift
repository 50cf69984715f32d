import TenonFoundation
import TenonTransport

/// The caller of an operation on objects. It is stored with a resumable upload.
struct ObjectCaller: Sendable, Hashable, Codable {
  /// Whether the caller is an administrator, for whom the rules aren't checked.
  var isAdministrator = false
  /// The ID of the user; `nil` if no user is signed in.
  var uid: String?
  /// The claims of the user's ID token.
  var claims: [String: JSON] = [:]

  /// An administrator.
  static let administrator = ObjectCaller(isAdministrator: true)

  /// The user for rules; `nil` if no user is signed in.
  var auth: RequestAuth? { uid.map { RequestAuth(uid: $0, claims: claims) } }
}

/// The rules of an app, which allow or deny access to objects.
final class ObjectRules: Sendable {
  /// Returns whether an access is allowed.
  typealias Decision = @Sendable (ObjectAccess) -> Bool

  /// The closures by the names of their buckets. That of all buckets has no name.
  private let decisions = Lock<[String?: Decision]>([:])

  /// Replaces the closure of a bucket.
  ///
  /// - Parameters:
  ///   - bucket: the bucket; `nil` for all that have no separate closure.
  ///   - allows: the closure; `nil` for none.
  func replace(in bucket: String?, with allows: Decision?) { decisions.withLock { $0[bucket] = allows } }

  /// Returns whether a closure decides about a bucket.
  func decide(about bucket: String) -> Bool { decision(bucket) != nil }

  /// Checks an access. Without a closure, it is allowed; for administrators, the closure isn't called.
  ///
  /// - Parameters:
  ///   - operation: the kind of access.
  ///   - path: the name of the object, or the prefix of the list.
  ///   - bucket: the bucket.
  ///   - caller: the caller.
  ///   - object: the object before the access.
  ///   - newObject: the object after the access.
  /// - Throws: ``Refusal`` with status 403.
  func check(
    _ operation: ObjectAccess.Operation, _ path: String, in bucket: String, by caller: ObjectCaller,
    object: ObjectAccess.Resource? = nil, newObject: ObjectAccess.Resource? = nil
  ) throws {
    guard !caller.isAdministrator, let allows = decision(bucket) else { return }
    let access = ObjectAccess(
      operation: operation, auth: caller.auth, bucket: bucket, path: path, object: object,
      newObject: newObject)
    guard allows(access) else { throw Refusal.denied(operation.permission) }
  }

  /// Returns the closure that decides about a bucket.
  private func decision(_ bucket: String) -> Decision? {
    decisions.withLock { $0[bucket] ?? $0[nil] }
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
