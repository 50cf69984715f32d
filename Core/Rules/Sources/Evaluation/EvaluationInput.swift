package import TenonValues

/// What the rules see of a request.
package struct EvaluationInput: Sendable {
  /// The database whose documents rules read.
  package var database: RulesDatabase
  /// `request.method`: `get`, `list`, `create`, `update` or `delete`.
  package var method: RulesMethod
  /// `request.path`, or `nil` if it is ``matchedPath``.
  package var listPath: RulesPath?
  /// The user: `request.auth`.
  package var user: RulesUser?
  /// `request.time`.
  package var time: Timestamp
  /// Whether the time is known.
  var knowsTime = true
  /// `resource`.
  package var resource: Resource
  /// `request.resource`, or `nil` if there is no such member.
  package var requestResource: Resource?
  /// `request.query`, or `nil` if there is no such member.
  package var query: RulesValue?
  /// The path that `match` is compared with. For a list, the IDs of the documents aren't known; for one of a
  /// collection group, nor is the number of segments before the collection.
  package var matchedPath: [RulesPath.Segment]
  /// How many documents the rules may read.
  package var readLimit = EvaluationLimits.reads

  /// A placeholder in ``matchedPath`` for any number of segments.
  static let anySegments = "**"
  /// A segment of ``matchedPath`` that isn't known.
  static let anySegment = RulesPath.Segment.variable("", bound: nil)

  /// What is known of `resource`, or `request.resource`.
  package enum Resource: Sendable {
    /// Its value; null if it doesn't exist.
    case value(RulesValue)
    /// The document at the path, whose value is created when it is used.
    case document(Fields)
    /// It isn't known here.
    case unknown
  }

  /// `request.path`.
  package var path: RulesPath { listPath ?? RulesPath(segments: matchedPath) }

  /// `request.auth`: a map with `uid` and `token`, or null.
  var auth: RulesValue {
    guard let user else { return .null }
    return .map(
      RulesMap(sorted: [
        .init("token", .map(user.token)),
        .init("uid", .string(user.uid)),
      ]))
  }

  /// Returns the value of a resource, or `nil` if it isn't known.
  func value(_ resource: Resource) -> RulesValue? {
    switch resource {
    case .value(let value): value
    case .document(let fields):
      .map(.document(fields, at: matchedPath.dropFirst(3).compactMap(\.text), database: database))
    case .unknown: nil
    }
  }

  /// Returns a member of `request`, or `nil` if there is none.
  func requestMember(_ name: String) -> RulesValue? {
    switch name {
    case "auth": auth
    case "method": .string(method.rawValue)
    case "path": .path(path)
    case "time": .timestamp(time)
    case "resource": requestResource.flatMap(value)
    case "query": query
    default: nil
    }
  }

  /// `request` with all members.
  var requestMap: RulesMap {
    RulesMap(
      ["auth", "method", "path", "query", "resource", "time"].compactMap { name in
        requestMember(name).map { RulesMap.Entry(name, $0) }
      })
  }
}

/// What a request does.
public enum RulesMethod: String, Sendable, Hashable, CaseIterable {
  /// Reads one document or object.
  case get
  /// Reads the results of a query, or lists objects.
  case list
  /// Creates a document or object.
  case create
  /// Changes or replaces a document, or the metadata of an object.
  case update
  /// Deletes a document or object.
  case delete

  /// Whether a name after `allow` includes the method.
  func isIncluded(in name: String) -> Bool {
    switch name {
    case rawValue: true
    case "read": self == .get || self == .list
    case "write": self == .create || self == .update || self == .delete
    default: false
    }
  }
}

extension RulesUser {
  /// `request.auth.token`.
  var token: RulesMap { RulesMap(claims, database: .named("(default)"), isComplete: hasAllClaims) }
}
