import Foundation
package import TenonJSON

/// A page of requests to a service, each with the response that a server gave when the page was recorded.
///
/// A line with `#` begins a group, whose requests are sent one after another to a project of their own. A
/// request is a line with the method, the URL below the version of the API, and the body, if there is one; the
/// next line has the status and the body of the response, if it is JSON. In requests, `$docs` is the name of the
/// root of the documents, `$project` the project, `$text(n)` a text of n letters, and `$transaction`, `$token`
/// and `$time` are values of earlier responses. In responses, what differs from run to run is replaced by
/// names in angle brackets.
package struct RequestPage: Sendable {
  /// A request and the response.
  package struct Exchange: Sendable {
    /// The group.
    package let group: String
    /// The line of the request.
    package let request: String
    /// The status of the response.
    package var status: Int
    /// The body of the response; `nil` if it isn't JSON.
    package var body: JSON?

    /// Creates an exchange.
    package init(group: String, request: String, status: Int, body: JSON?) {
      self.group = group
      self.request = request
      self.status = status
      self.body = body
    }

    /// The status and the name of the error; the name is `nil` for a response that is no error.
    package var code: Code {
      let first = body?.array?.first ?? body
      return Code(status: status, name: first?["error"]?["status"]?.string)
    }

    /// The status and the name of an error.
    package struct Code: Sendable, Hashable {
      let status: Int
      let name: String?
    }

    /// The response without the text of an error, which servers word differently.
    package var outcome: JSON? { code.name == nil ? body : nil }
  }

  /// The exchanges in their order.
  package var exchanges: [Exchange]

  /// Creates a page.
  package init(exchanges: [Exchange]) { self.exchanges = exchanges }

  /// Parses a page.
  package init(parsing text: String) throws {
    exchanges = []
    var group = ""
    var request: Substring?
    for line in text.split(separator: "\n") {
      if let sent = request {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard let status = parts.first.flatMap({ Int($0) }) else { throw Malformed(line: String(line)) }
        let body = parts.count == 2 ? try JSON(parsing: Data(parts[1].utf8)) : nil
        exchanges.append(Exchange(group: group, request: String(sent), status: status, body: body))
        request = nil
      } else if line.hasPrefix("# ") {
        group = String(line.dropFirst(2))
      } else {
        request = line
      }
    }
  }

  /// A line that belongs to no page.
  package struct Malformed: Error { package let line: String }

  /// The text of the page.
  package var text: String {
    var text = ""
    var group: String?
    for exchange in exchanges {
      if exchange.group != group {
        text += "\(group == nil ? "" : "\n")# \(exchange.group)\n"
        group = exchange.group
      }
      text += "\(exchange.request)\n\(exchange.status)\(exchange.body.map { " \($0.sortedText)" } ?? "")\n"
    }
    return text
  }
}

extension JSON {
  /// The value as text, with the members of objects in the order of their names.
  package var sortedText: String {
    switch self {
    case .array(let elements): "[\(elements.map(\.sortedText).joined(separator: ","))]"
    case .object(let members):
      "{"
        + members.sorted { $0.key < $1.key }
        .map { "\(JSON.string($0.key).sortedText):\($0.value.sortedText)" }.joined(separator: ",") + "}"
    default: (try? serialized).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
  }
}
