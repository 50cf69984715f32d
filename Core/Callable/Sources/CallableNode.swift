import TenonJSON

/// A value that is being encoded, to which several containers may add.
final class CallableNode {
  /// A part of an array or an object.
  enum Part {
    /// A part that is complete.
    case json(JSON)
    /// A part to which a container may still add.
    case node(CallableNode)
  }

  /// What the value is.
  private enum Kind { case empty, single, array, object }

  /// What the value is, by the container that was requested first.
  private var kind = Kind.empty
  /// The value itself, if it is a single one.
  private var single = Part.json(.null)
  /// The elements, if it is an array.
  var elements: [Part] = []
  /// The members, if it is an object.
  var members: [String: Part] = [:]

  /// Makes the value a single one. The last one counts.
  func set(_ part: Part) { (kind, single) = (.single, part) }

  /// Makes the value an array, unless it is something else already.
  func becomeArray() { if kind == .empty { kind = .array } }

  /// Makes the value an object, unless it is something else already.
  func becomeObject() { if kind == .empty { kind = .object } }

  /// Returns the value as JSON. A value that encoded nothing is an empty object, as with `JSONEncoder`.
  ///
  /// - Parameter depth: the number of arrays and objects around the value.
  /// - Throws: `EncodingError` if the value is nested more than ``JSON/deepestNesting`` levels deep.
  func json(depth: Int) throws -> JSON {
    guard kind == .single || depth < JSON.deepestNesting else {
      throw CallableEncoder.tooDeep(self, [])
    }
    switch kind {
    case .single: return try Self.json(single, depth: depth)
    case .array: return .array(try elements.map { try Self.json($0, depth: depth + 1) })
    case .object: return .object(try members.mapValues { try Self.json($0, depth: depth + 1) })
    case .empty: return .object([:])
    }
  }

  /// Returns a part as JSON.
  private static func json(_ part: Part, depth: Int) throws -> JSON {
    switch part {
    case .json(let json): json
    case .node(let node): try node.json(depth: depth)
    }
  }
}
