package import TenonValues

/// What the rules see of a request.
package struct EvaluationInput: Sendable {
  /// The ID of the database, or the name of the bucket.
  package var database: String
  /// `request.method`: `get`, `list`, `create`, `update` or `delete`.
  package var method: RulesMethod
  /// `request.path`, which the rules are matched with.
  package var path: RulesPath
  /// `request.auth`: a map with `uid` and `token`, or null.
  package var auth: RulesValue
  /// `request.time`.
  package var time: Timestamp
  /// `resource`.
  package var resource: Resource
  /// `request.resource`, or `nil` if there is no such member.
  package var requestResource: RulesValue?
  /// `request.query`, or `nil` if there is no such member.
  package var query: RulesValue?
  /// The path that `match` is compared with. For a list, the IDs of the documents aren't known; for one of a
  /// collection group, nor is the number of segments before the collection.
  package var matchedPath: [RulesPath.Segment]

  /// The name of a segment of ``matchedPath`` that stands for any number of segments.
  static let anySegments = "**"
  /// A segment of ``matchedPath`` that isn't known.
  static let anySegment = RulesPath.Segment.variable("", bound: nil)

  /// What is known of `resource`.
  package enum Resource: Sendable {
    /// Its value; null if it doesn't exist.
    case value(RulesValue)
    /// It isn't known here.
    case unknown
  }

  /// How many documents rules may read for the request.
  var readLimit: Int { method == .list ? EvaluationLimits.listReads : EvaluationLimits.reads }

  /// Returns a member of `request`, or `nil` if there is none.
  func requestMember(_ name: String) -> RulesValue? {
    switch name {
    case "auth": auth
    case "method": .string(method.rawValue)
    case "path": .path(path)
    case "time": .timestamp(time)
    case "resource": requestResource
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
