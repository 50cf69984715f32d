package import Foundation
import TenonJSON

/// What a ``ScriptedFirestore`` sends: the JSON texts of listen responses and of REST responses.
package enum Payload {
  /// The change of a target.
  package static func target(_ kind: String, _ id: Int, token: String? = nil, cause: Int? = nil) -> String {
    var members = ["\"targetChangeType\":\"\(kind)\"", "\"targetIds\":[\(id)]"]
    if let token { members.append("\"resumeToken\":\"\(Data(token.utf8).base64EncodedString())\"") }
    if let cause { members.append("\"cause\":{\"code\":\(cause),\"message\":\"no\"}") }
    return "{\"targetChange\":{\(members.joined(separator: ","))}}"
  }

  /// A consistent snapshot at a second.
  package static func snapshot(_ second: Int, token: String? = nil) -> String {
    let token = token.map { ",\"resumeToken\":\"\(Data($0.utf8).base64EncodedString())\"" } ?? ""
    return "{\"targetChange\":{\"readTime\":\"\(time(second))\"\(token)}}"
  }

  /// A document of the collection `items` that belongs to a target.
  package static func document(_ id: String, _ n: Int, in target: Int, at second: Int = 1) -> String {
    "{\"documentChange\":{\"document\":\(content(id, n, at: second)),\"targetIds\":[\(target)]}}"
  }

  /// The response to `runAggregationQuery` with a number of documents, which the request counts.
  package static func counted(_ count: Int, for request: Data) -> String {
    let json = try? JSON(parsing: request)
    let alias = json?["structuredAggregationQuery"]?["aggregations"]?.array?.first?["alias"]?.string ?? ""
    let fields = "{\"\(alias)\":{\"integerValue\":\"\(count)\"}}"
    return "[{\"result\":{\"aggregateFields\":\(fields)},\"readTime\":\"\(time(1))\"}]"
  }

  /// The JSON of a document of the collection `items`.
  package static func content(_ id: String, _ n: Int, at second: Int = 1) -> String {
    """
    {"name":"projects/p/databases/(default)/documents/items/\(id)","fields":{"n":{"integerValue":"\(n)"}},\
    "createTime":"\(time(1))","updateTime":"\(time(second))"}
    """
  }

  /// A time.
  package static func time(_ second: Int) -> String {
    "2026-01-01T00:\(second / 60 < 10 ? "0" : "")\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60)Z"
  }

  /// The number of the target that a message adds; `nil` for others.
  package static func added(_ message: String) -> Int? {
    guard case .int(let id)? = try? JSON(parsing: Data(message.utf8))["addTarget"]?["targetId"] else {
      return nil
    }
    return Int(exactly: id)
  }

  /// The number of the target that a message removes; `nil` for others.
  package static func removed(_ message: String) -> Int? {
    guard case .int(let id)? = try? JSON(parsing: Data(message.utf8))["removeTarget"] else { return nil }
    return Int(exactly: id)
  }
}
