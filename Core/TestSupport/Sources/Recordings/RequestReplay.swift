package import Foundation
import TenonJSON
package import TenonTransportInterop

/// Sends the requests of a page to a server, and compares the responses.
package struct RequestReplay: Sendable {
  /// Sends a request to a server and returns its response.
  package typealias Sending = @Sendable (TransportRequest) async throws -> TransportResponse

  private let origin: URL
  private let send: Sending

  /// Creates a replay.
  ///
  /// - Parameters:
  ///   - origin: where the server listens.
  ///   - send: sends a request.
  package init(origin: URL, sending send: @escaping Sending) {
    self.origin = origin
    self.send = send
  }

  /// Returns a page with the responses of the server to the requests of another page.
  package func record(_ page: RequestPage) async throws -> RequestPage {
    var recorded = RequestPage(exchanges: [])
    var values = Values(project: "")
    var group: String?
    var number = 0
    for exchange in page.exchanges {
      if exchange.group != group {
        group = exchange.group
        number += 1
        // The same length for all, because texts of errors count characters.
        values = Values(project: "demo-rest-\(number < 10 ? "0" : "")\(number)")
      }
      let response = try await send(try request(exchange.request, values))
      let body = try? JSON(parsing: response.body)
      if let body { values.keep(body) }
      recorded.exchanges.append(
        RequestPage.Exchange(
          group: exchange.group, request: exchange.request, status: response.status,
          body: body.map { values.normalized($0, member: "") }))
    }
    return recorded
  }

  /// Creates a request from a line.
  private func request(_ line: String, _ values: Values) throws -> TransportRequest {
    let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
    guard parts.count >= 2, let url = URL(string: "\(origin.absoluteString)/v1/\(values.url(parts[1]))")
    else {
      throw RequestPage.Malformed(line: line)
    }
    return TransportRequest(
      HTTPMethod(rawValue: parts[0]), url,
      headers: HTTPHeaders([
        HTTPHeader(name: "Content-Type", value: "application/json"),
        HTTPHeader(name: "Authorization", value: "Bearer owner"),
      ]), body: parts.count == 3 ? .data(Data(values.expanded(parts[2]).utf8)) : .none)
  }

  /// The values that a group of requests refers to.
  private struct Values {
    let project: String
    var transaction = ""
    var token = ""
    var time = ""

    /// Keeps the values of a response.
    mutating func keep(_ body: JSON) {
      switch body {
      case .array(let elements): for element in elements { keep(element) }
      case .object(let members):
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
          switch (name, value) {
          case ("transaction", .string(let text)): transaction = text
          case ("nextPageToken", .string(let text)): token = text
          case ("commitTime", .string(let text)), ("readTime", .string(let text)): time = text
          default: keep(value)
          }
        }
      default: break
      }
    }

    /// Returns a text of a request with the values in place of their names.
    func expanded(_ text: String) -> String {
      text.replacing("$docs", with: "projects/$project/databases/(default)/documents")
        .replacing("$project", with: project)
        .replacing(/\$text\((\d+)\)/) { String(repeating: "a", count: Int($0.output.1) ?? 0) }
        .replacing("$transaction", with: transaction).replacing("$token", with: token)
        .replacing("$time", with: time)
    }

    /// Returns a URL with the values in place of their names, which are encoded in its query.
    func url(_ text: String) -> String {
      let encoded = [transaction, token].map {
        $0.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
      }
      var values = self
      (values.transaction, values.token) = (encoded[0], encoded[1])
      return values.expanded(text)
    }

    /// Returns a response in which what differs from run to run is replaced.
    func normalized(_ body: JSON, member: String) -> JSON {
      switch body {
      case .array(let elements): return .array(elements.map { normalized($0, member: member) })
      case .object(let members):
        return .object(
          members.reduce(into: [:]) { result, entry in
            let isResult = member == "transformResults" && entry.key == "timestampValue"
            result[entry.key] = normalized(entry.value, member: isResult ? "readTime" : entry.key)
          })
      case .string(let text):
        switch member {
        case "commitTime", "readTime", "createTime", "updateTime", "executionDuration":
          return .string("<time>")
        case "transaction": return .string("<transaction>")
        case "nextPageToken": return .string("<token>")
        default:
          return .string(
            text.replacing(project, with: "$project").replacing(/\b1[0-9]{15}\b/, with: "<version>")
              .replacing(/documents\/c\/[A-Za-z0-9]{20}$/, with: "documents/c/<id>")
              .replacing(/a{300,}/) { "$text(\($0.output.count))" })
        }
      default: return body
      }
    }
  }
}
