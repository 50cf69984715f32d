import Foundation
import TenonTesting
import TenonValues

/// Generates rules, documents and requests.
///
/// Expressions are mostly well-typed: others would fail immediately and show little. About one in ten has a
/// random type.
struct RulesGenerator {
  var random: SeededGenerator

  /// A request.
  enum Request: Sendable {
    case get
    case getMissing
    case create(Fields)
    case update(Fields)
    case delete
  }

  /// Types of expressions.
  enum Kind: CaseIterable {
    case boolean, integer, float, string, bytes, list, map, set, timestamp, duration, latlng, path, null,
      difference
  }

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  // MARK: - Files

  /// Returns a rules file for documents in `x`.
  mutating func file() -> String {
    let statements = (0..<3).map { _ in
      "allow \(pick(["read", "write", "get, list", "create", "update", "delete", "read, write"])): if \(expression(.boolean, 4));"
    }
    let helper =
      "function h(p) { let q = \(expression(pick([.integer, .string, .boolean]), 2)); return [p, q]; }"
    let nested =
      chance(30)
      ? "match /{rest=**} { allow read, write: if [rest].size() == 1 && \(expression(.boolean, 2)); }" : ""
    return """
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          \(helper)
          match /x/{id} {
            function f(a, b) { let c = \(expression(.integer, 2)); return \(pick(["a", "b", "c", "a == b", "a + c", "[a, b, c]"])); }
            \(statements.joined(separator: "\n      "))
            \(nested)
          }
        }
      }
      """
  }

  mutating func request() -> Request {
    switch Int.random(in: 0..<8, using: &random) {
    case 0...2: .get
    case 3: .getMissing
    case 4: .create(document())
    case 5, 6: .update(document())
    default: .delete
    }
  }

  mutating func document() -> Fields {
    var fields: [String: Value] = [:]
    for (name, values) in Self.fields where !chance(10) { fields[name] = pick(values) }
    return Fields(fields)
  }

  static let fields: [(String, [Value])] = [
    ("i", [0, 1, 5, -1, .integer(.max), .integer(.min), 1000]), ("f", [0.5, -1.5, .double(0), 1e20, 3.0]),
    ("s", ["", "a", "abc", "A-b", "äö", "😀x", "5", "a.b"]), ("z", [true, false]), ("n", [.null]),
    ("l", [[], [1, 2, 3], ["a", "b"], [1, "a", true, .null], [1.0, 2]]),
    ("m", [[:], ["a": 1, "b": "x"], ["a": ["b": ["c": 1]]], ["i": 5]]),
    (
      "t",
      [
        .timestamp(Timestamp(seconds: 1_700_000_000, nanoseconds: 123_000_000)),
        .timestamp(Timestamp(seconds: -1)),
        .timestamp(Timestamp(seconds: 951_782_400)),
      ]
    ), ("b", [.bytes(Data()), .bytes(Data([0, 255, 16])), .bytes(Data([97]))]),
    (
      "g",
      [.geoPoint(GeoPoint(latitude: 1.5, longitude: -2)), .geoPoint(GeoPoint(latitude: 0, longitude: 0))]
    ),
  ]

  // MARK: - Expressions

  mutating func any(_ depth: Int) -> String { expression(pick(Kind.allCases), depth) }

  mutating func expression(_ kind: Kind, _ depth: Int) -> String {
    if chance(8) { return any(depth - 1) }
    if chance(6), depth > 0 {
      return
        "(\(expression(.boolean, depth - 1)) ? \(expression(kind, depth - 1)) : \(expression(kind, depth - 1)))"
    }
    switch kind {
    case .boolean: return boolean(depth)
    case .integer: return integer(depth)
    case .float: return float(depth)
    case .string: return string(depth)
    case .bytes:
      return depth > 0 && chance(50)
        ? pick([
          "\(expression(.string, depth - 1)).toUtf8()", "hashing.md5(\(expression(.string, depth - 1)))",
          "hashing.sha256(\(expression(.bytes, depth - 1)))",
          "hashing.crc32(\(expression(.string, depth - 1)))",
          "hashing.crc32c(\(expression(.bytes, depth - 1)))",
        ]) : pick(["b'abc'", "b'\\x00\\xff'", data("b")])
    case .list: return list(depth)
    case .map: return map(depth)
    case .set: return set(depth)
    case .timestamp: return timestamp(depth)
    case .duration: return duration(depth)
    case .latlng:
      return pick(["latlng.value(1, 2)", "latlng.value(\(expression(.float, depth - 1)), 3.5)", data("g")])
    case .path:
      return pick([
        "/a/b", "/a/$(\(expression(.string, depth - 1)))/c", "path('/a/b')",
        "/databases/$(database)/documents/x/y",
        "request.path", "resource.__name__", "path(\(expression(.string, depth - 1)))", "request.path[1:3]",
        "/a/{k}.bind", "path('a/{k}').bind({'k': \(expression(.string, depth - 1))})",
      ]).replacing("/a/{k}.bind", with: "(/a/{k}).bind({'k': 'v'})")
    case .null: return pick(["null", data("n"), "request.auth.token.none", "unknown"])
    case .difference: return "\(expression(.map, depth - 1)).diff(\(expression(.map, depth - 1)))"
    }
  }

  /// A field of one of the documents.
  private mutating func data(_ name: String) -> String {
    pick([
      "resource.data.\(name)", "resource.data.\(name)", "resource.data['\(name)']",
      "request.resource.data.\(name)",
      "resource.data.get('\(name)', 1)",
      "get(/databases/$(database)/documents/y/\(pick(["a", "b", "none"]))).data.\(name)",
    ])
  }

  /// An argument of a function. The emulator confuses values after an argument that fails in its middle.
  private mutating func argument() -> String {
    pick(["id", "1", "'a'", "unknown", "[1, 2]", "{'a': 1}", "database", "true", "null", "2.5", "b'a'"])
  }

  private mutating func boolean(_ depth: Int) -> String {
    guard depth > 0 else { return pick(["true", "false", data("z"), "request.auth != null", "id == 'd'"]) }
    let kind = pick(Kind.allCases)
    switch Int.random(in: 0..<20, using: &random) {
    case 0...2: return "\(expression(.boolean, depth - 1)) && \(expression(.boolean, depth - 1))"
    case 3...5: return "(\(expression(.boolean, depth - 1)) || \(expression(.boolean, depth - 1)))"
    case 6: return "!(\(expression(.boolean, depth - 1)))"
    case 7...9:
      return "\(operand(kind, depth)) \(pick(["==", "!="])) \(operand(kind, depth))"
    case 10, 11:
      let kind = pick([.integer, .float, .string, .timestamp, .duration, .bytes] as [Kind])
      return "\(operand(kind, depth)) \(pick(["<", "<=", ">", ">="])) \(operand(kind, depth))"
    case 12: return "\(operand(kind, depth)) in \(expression(pick([.list, .set]), depth - 1))"
    case 13: return "\(operand(.string, depth)) in \(expression(.map, depth - 1))"
    case 14:
      let type = pick([
        "bool", "bytes", "duration", "float", "int", "latlng", "list", "set", "number", "map", "string",
        "timestamp",
        "path", "map_diff", "constraint",
      ])
      return "\(operand(kind, depth)) is \(type)"
    case 15:
      let (first, second) = (pick([.list, .set] as [Kind]), pick([.list, .set] as [Kind]))
      return
        "\(expression(first, depth - 1)).\(pick(["hasAll", "hasAny", "hasOnly"]))(\(expression(second, depth - 1)))"
    case 16:
      return
        "\(expression(.string, depth - 1)).matches(\(pick(["'a.*'", "'[a-z]+'", "''", "'.*'", "'(?i)A-B'", "'^a$'", data("s")])))"
    case 17:
      return
        "\(pick(["exists", "existsAfter"]))(/databases/$(database)/documents/\(pick(["y/a", "y/none", "x/d"])))"
    case 18:
      return pick([
        "math.isNaN(\(expression(.float, depth - 1)))", "math.isInfinity(\(expression(.float, depth - 1)))",
      ])
    default:
      return
        "f(\(argument()), \(argument())) == \(operand(kind, depth))"
    }
  }

  /// An expression in parentheses, as an operand of an operator that binds tightly.
  private mutating func operand(_ kind: Kind, _ depth: Int) -> String {
    let text = expression(kind, depth - 1)
    return chance(70) ? "(\(text))" : text
  }

  private mutating func integer(_ depth: Int) -> String {
    guard depth > 0 else {
      return pick([
        "0", "1", "5", "-1", "9223372036854775807", "-9223372036854775807", data("i"), "request.auth.token.n",
      ])
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0...3:
      return "(\(operand(.integer, depth)) \(pick(["+", "-", "*", "/", "%"])) \(operand(.integer, depth)))"
    case 4: return "\(expression(pick([.string, .list, .map, .set, .bytes]), depth - 1)).size()"
    case 5:
      let method = pick([
        "year", "month", "day", "hours", "minutes", "seconds", "nanos", "toMillis", "dayOfWeek", "dayOfYear",
      ])
      return "(\(expression(.timestamp, depth - 1))).\(method)()"
    case 6: return "(\(expression(.duration, depth - 1))).\(pick(["seconds", "nanos"]))()"
    case 7: return "int(\(expression(pick([.float, .string, .integer]), depth - 1)))"
    case 8:
      return pick([
        "math.abs(\(expression(.integer, depth - 1)))", "math.round(\(expression(.float, depth - 1)))",
      ])
    default: return "\(expression(.list, depth - 1))[\(expression(.integer, depth - 1))]"
    }
  }

  private mutating func float(_ depth: Int) -> String {
    guard depth > 0 else {
      return pick(["0.5", "-1.5", "2.0", "100000000.25", "1.", data("f"), "request.auth.token.f"])
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0...2:
      return
        "(\(operand(.float, depth)) \(pick(["+", "-", "*", "/", "%"])) \(operand(pick([.float, .integer]), depth)))"
    case 3: return "float(\(expression(pick([.string, .integer, .float]), depth - 1)))"
    case 4:
      return
        "math.\(pick(["ceil", "floor", "sqrt", "abs"]))(\(expression(pick([.float, .integer]), depth - 1)))"
    case 5:
      return "math.pow(\(expression(.float, depth - 1)), \(expression(pick([.float, .integer]), depth - 1)))"
    case 6: return "(\(expression(.latlng, depth - 1))).\(pick(["latitude", "longitude"]))()"
    default: return "-(\(expression(.float, depth - 1)))"
    }
  }

  private mutating func string(_ depth: Int) -> String {
    guard depth > 0 else {
      return pick([
        "''", "'a'", "'abc'", "'Abc'", "'a-b-c'", "' x '", "'5'", "'1.5'", "'é'", data("s"), "id",
        "request.auth.uid", "request.method", "resource.id",
      ])
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: return "(\(operand(.string, depth)) + \(operand(.string, depth)))"
    case 2: return "\(expression(.string, depth - 1)).\(pick(["lower", "upper", "trim"]))()"
    case 3:
      return "string(\(expression(pick([.integer, .float, .boolean, .null, .string, .path]), depth - 1)))"
    case 4: return "\(expression(.string, depth - 1))[\(expression(.integer, 0))]"
    case 5: return "\(expression(.string, depth - 1))[\(pick(["0", "1", ""])):\(pick(["1", "2", ""]))]"
    case 6:
      return
        "\(expression(.string, depth - 1)).replace(\(pick(["'a'", "'[a-z]'", "'(b)'"])), \(pick(["'x'", "'$0$0'", "''"])))"
    case 7: return "\(expression(.list, depth - 1)).join(\(pick(["','", "''"])))"
    case 8: return "\(expression(.bytes, depth - 1)).\(pick(["toBase64", "toHexString"]))()"
    default: return "\(expression(.map, depth - 1)).\(pick(["a", "b", "s"]))"
    }
  }

  private mutating func list(_ depth: Int) -> String {
    guard depth > 0 else { return pick(["[]", "[1, 2]", "['a', 1.0]", data("l")]) }
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1:
      return
        "[\((0..<Int.random(in: 0...3, using: &random)).map { _ in any(depth - 1) }.joined(separator: ", "))]"
    case 2: return "\(expression(.list, depth - 1)).concat(\(expression(.list, depth - 1)))"
    case 3: return "\(expression(.list, depth - 1)).removeAll(\(expression(.list, depth - 1)))"
    case 4: return "\(expression(.map, depth - 1)).\(pick(["keys", "values"]))()"
    case 5: return "\(expression(.string, depth - 1)).split(\(pick(["','", "'-'", "'[a-b]'"])))"
    case 6: return "\(expression(.list, depth - 1))[\(pick(["0", "1", ""])):\(pick(["1", "2", ""]))]"
    case 7: return "f(\(argument()), \(argument()))"
    default: return "h(\(argument()))"
    }
  }

  private mutating func map(_ depth: Int) -> String {
    guard depth > 0 else {
      return pick([
        "{}", "{'a': 1}", "{'a': 1, 'b': 'x'}", data("m"), "resource.data", "request.resource.data",
        "request.auth.token.firebase",
      ])
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      return
        "{'a': \(any(depth - 1)), \(pick(["'b'", "'c'", "'a'", expression(.integer, 1)])): \(any(depth - 1))}"
    case 1:
      return "\(expression(.map, depth - 1)).get(\(pick(["'a'", "['a', 'b']", "'zz'"])), \(any(depth - 1)))"
    default: return expression(.map, 0)
    }
  }

  private mutating func set(_ depth: Int) -> String {
    guard depth > 0 else { return pick(["[1, 2].toSet()", "['a'].toSet()", "[].toSet()"]) }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return "\(expression(.list, depth - 1)).toSet()"
    case 1, 2:
      return
        "\(expression(.set, depth - 1)).\(pick(["union", "intersection", "difference"]))(\(expression(.set, depth - 1)))"
    default:
      return
        "\(expression(.difference, depth)).\(pick(["addedKeys", "removedKeys", "changedKeys", "unchangedKeys", "affectedKeys"]))()"
    }
  }

  private mutating func timestamp(_ depth: Int) -> String {
    guard depth > 0 else { return pick(["timestamp.value(0)", "timestamp.date(2024, 2, 29)", data("t")]) }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return "(\(operand(.timestamp, depth)) \(pick(["+", "-"])) \(operand(.duration, depth)))"
    case 1: return "(\(operand(.duration, depth)) + \(operand(.timestamp, depth)))"
    case 2: return "timestamp.value(\(expression(.integer, depth - 1)))"
    case 3: return "timestamp.date(2024, \(expression(.integer, depth - 1)), \(expression(.integer, 0)))"
    default: return "(\(expression(.timestamp, depth - 1))).date()"
    }
  }

  private mutating func duration(_ depth: Int) -> String {
    guard depth > 0 else {
      return pick(["duration.value(1, 'd')", "duration.value(-1500, 'ms')", "duration.time(1, 2, 3, 4)"])
    }
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return "(\(operand(.duration, depth)) \(pick(["+", "-"])) \(operand(.duration, depth)))"
    case 1: return "(\(operand(.timestamp, depth)) - \(operand(.timestamp, depth)))"
    case 2:
      return
        "duration.value(\(expression(.integer, depth - 1)), '\(pick(["w", "d", "h", "m", "s", "ms", "ns", "x"]))')"
    case 3: return "duration.abs(\(expression(.duration, depth - 1)))"
    case 4: return "-(\(expression(.duration, depth - 1)))"
    case 5:
      return
        "duration.time(\(expression(.integer, 0)), 1, \(expression(.integer, 0)), \(expression(.integer, 0)))"
    default: return "(\(expression(.timestamp, depth - 1))).time()"
    }
  }
}
