import Foundation
import TenonJSON
import TenonTestSupport
import TenonValues

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Google's emulator, which says what rules mean.
struct RulesJudge: Sendable {
  private let origin: URL
  private let project: String

  /// Connects to the emulator of this test run. Each judge has a separate project, and so its own rules.
  init(project: String) async throws {
    origin = try await FirestoreEmulator.shared().origin
    self.project = project
  }

  private var database: String { "projects/\(project)/databases/(default)" }

  // MARK: - Rules

  /// Sets the rules.
  ///
  /// - Returns: the emulator's complaints, for example `L1:78 Unexpected ';'.`, or an empty list.
  func setRules(_ source: String) async throws -> [String] {
    let body: JSON = .object([
      "rules": .object(["files": .array([.object(["name": .string("rules"), "content": .string(source)])])])
    ])
    let (status, answer) = try await send(
      "PUT", "emulator/v1/projects/\(project):securityRules", body, user: nil)
    if status == 200 { return [] }
    let message = answer["error"]?["message"]?.string ?? "status \(status)"
    return message.split(separator: "\n").map(String.init).filter { $0.hasPrefix("L") }
  }

  /// The values of expressions since the rules were set, by their places.
  func coverage() async throws -> [String: Set<String>] {
    let (_, answer) = try await send("GET", "emulator/v1/projects/\(project):ruleCoverage", nil, user: nil)
    let source = answer["rules"]?["files"]?.array?.first?["content"]?.string ?? ""
    var values: [String: Set<String>] = [:]
    var open = answer["report"]?.array ?? []
    while let expression = open.popLast() {
      open += expression["children"]?.array ?? []
      let place = expression["sourcePosition"]
      let key = CoverageKey.text(
        place?["currentOffset"]?.integer ?? 0, (place?["endOffset"]?.integer ?? 0) + 1,
        in: Array(source.unicodeScalars))
      for entry in expression["values"]?.array ?? [] {
        // Without a value, the expression wasn't evaluated; without a cause, it couldn't be evaluated before
        // a document was read.
        guard let value = entry["value"], value.object?.isEmpty == false else { continue }
        let isPending = value["undefined"].map { $0["causeMessage"] == nil } ?? false
        values[key, default: []].insert(isPending ? Self.pending : JudgedValue.text(value))
      }
    }
    return values
  }

  /// Stands for the value of an expression that needed a document.
  static let pending = "pending"

  // MARK: - Documents and requests

  /// Deletes all documents and writes some, without asking the rules.
  ///
  /// - Parameter others: the paths of the only other documents that may exist, which spares the emulator a
  ///   request; `nil` if they aren't known.
  func setDocuments(_ documents: [String: Fields], deleting others: [String]? = nil) async throws {
    if others == nil { _ = try await send("DELETE", "emulator/v1/\(database)/documents", nil, user: nil) }
    let writes =
      documents.map { path, fields in JSON.object(["update": document(path, fields)]) }
      + (others ?? []).map { path in JSON.object(["delete": .string("\(database)/documents/\(path)")]) }
    _ = try await send(
      "POST", "v1/\(database)/documents:commit", .object(["writes": .array(writes)]), user: nil, isOwner: true
    )
  }

  /// Returns whether a document may be read.
  func get(_ path: String, _ user: JudgedUser?) async throws -> Bool {
    let (status, _) = try await send("GET", "v1/\(database)/documents/\(path)", nil, user: user)
    return status != 403
  }

  /// Returns whether a document may be written.
  func write(_ path: String, _ fields: Fields?, exists: Bool, _ user: JudgedUser?) async throws -> Bool {
    var write: [String: JSON] =
      if let fields {
        ["update": document(path, fields)]
      } else {
        ["delete": .string("\(database)/documents/\(path)")]
      }
    if fields != nil { write["currentDocument"] = .object(["exists": .bool(exists)]) }
    let (status, _) = try await send(
      "POST", "v1/\(database)/documents:commit", .object(["writes": .array([.object(write)])]), user: user)
    return status != 403
  }

  /// Returns whether a query may be run, or `nil` if the emulator doesn't accept the query.
  func list(_ query: JSON, parent: String = "", _ user: JudgedUser?) async throws -> Bool? {
    let path = "v1/\(database)/documents\(parent.isEmpty ? "" : "/\(parent)"):runQuery"
    let (status, _) = try await send("POST", path, .object(["structuredQuery": query]), user: user)
    return status == 200 ? true : status == 403 ? false : nil
  }

  private func document(_ path: String, _ fields: Fields) -> JSON {
    .object([
      "name": .string("\(database)/documents/\(path)"), "fields": JudgedValue.json(fields),
    ])
  }

  func send(
    _ method: String, _ path: String, _ body: JSON?, user: JudgedUser?, isOwner: Bool = false
  ) async throws -> (Int, JSON) {
    var request = URLRequest(url: origin.appending(path: path))
    request.httpMethod = method
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    if isOwner { request.setValue("Bearer owner", forHTTPHeaderField: "Authorization") }
    if let user { request.setValue("Bearer \(user.token(project))", forHTTPHeaderField: "Authorization") }
    request.httpBody = try body?.serialized
    let (data, response) = try await URLSession.shared.data(for: request)
    let answer = (try? JSON(parsing: data)) ?? .null
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    if status >= 500 {
      throw Failure(description: "\(method) \(path): \(String(decoding: data, as: UTF8.self))")
    }
    // Lists answer with an array of errors.
    return (status, answer.array?.first ?? answer)
  }

  struct Failure: Error, CustomStringConvertible { let description: String }
}

/// A user of a request.
struct JudgedUser: Sendable {
  var uid: String
  /// Claims besides those of every token.
  var claims: Fields

  /// All claims of the token, as rules see them.
  func allClaims(_ project: String) -> Fields {
    var all: [String: Value] = [
      "iss": .string("https://securetoken.google.com/\(project)"), "aud": .string(project),
      "auth_time": 1_700_000_000, "iat": 1_700_000_000, "exp": 4_000_000_000, "sub": .string(uid),
      "user_id": .string(uid), "firebase": ["sign_in_provider": "password", "identities": [:]],
    ]
    for name in claims.names { all[name] = claims[name] }
    return Fields(all)
  }

  /// An unsigned token.
  func token(_ project: String) -> String {
    func part(_ data: Data) -> String {
      data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
    let header = Data(#"{"alg":"none","typ":"JWT"}"#.utf8)
    let claims = (try? JudgedValue.plain(.map(allClaims(project))).serialized) ?? Data()
    return "\(part(header)).\(part(claims))."
  }
}

extension JSON {
  /// A number without a fraction.
  fileprivate var integer: Int? { if case .int(let value) = self { Int(exactly: value) } else { nil } }
}

/// The place of an expression in a coverage report.
enum CoverageKey {
  /// Returns the place without parentheses and spaces around the expression, which the emulator counts only
  /// sometimes.
  static func text(_ start: Int, _ end: Int, in source: [Unicode.Scalar]) -> String {
    var start = start
    while start < source.count, source[start] == "(" || source[start] == " " { start += 1 }
    var end = withoutLiteral(end, in: source)
    while end > start, [")", "}", " "].contains(source[end - 1]) { end -= 1 }
    return "\(start)-\(end)"
  }

  /// Of a literal in parentheses at the end of an expression, the emulator counts only the first parenthesis.
  private static func withoutLiteral(_ end: Int, in source: [Unicode.Scalar]) -> Int {
    func isWord(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
    var place = end - 1
    guard place > 0 else { return end }
    if source[place] == "[" || source[place] == "{" {
      // An empty list or map.
    } else if source[place] == "'" {
      place -= 1
      while place > 0, source[place] != "'" { place -= 1 }
      if place > 0, source[place - 1] == "b" { place -= 1 }
    } else {
      while place > 0, isWord(source[place - 1]) || source[place - 1] == "." { place -= 1 }
      let word = String(String.UnicodeScalarView(source[place..<end]))
      guard ["true", "false", "null"].contains(word) || ("0"..."9").contains(source[place]) else {
        return end
      }
    }
    let literal = place
    while place > 0, source[place - 1] == "(" { place -= 1 }
    // The parentheses of calls count, and those after a sign.
    guard place < literal, place > 0, !isWord(source[place - 1]), source[place - 1] != "-" else { return end }
    return place + 1
  }
}
