import TenonFoundation

/// `a[b]` and `a[b:c]`.
enum Elements {
  /// Returns an element.
  static func element(_ key: RulesValue, of object: RulesValue, _ id: Int) throws(EvaluationError)
    -> RulesValue
  {
    switch (object, key) {
    case (.map(let map), .string(let name)):
      guard let value = map[name] else {
        throw EvaluationError(map.isPartial ? map.gapReason : .undefinedProperty(name), node: id)
      }
      return value
    case (.list(let elements), .integer(let index)):
      // Checked: `index` has checked that these are places of elements.
      return elements[try self.index(index, elements.count, id)]
    case (.string(let text), .integer(let index)):
      let units = Array(text.utf16)
      let place = try self.index(index, units.count, id)
      // Checked: `index` has checked that these are places of elements.
      return .string(String(decoding: units[place...place], as: UTF16.self))
    case (.path(let path), .integer(let index)):
      // Checked: `index` has checked that these are places of elements.
      guard let text = path.segments[try self.index(index, path.segments.count, id)].text else {
        throw EvaluationError(.nullValue, node: id)
      }
      return .string(text)
    case (.path, .string(let name)): return try MemberNode.member(name, of: object, id)
    case (.null, _): throw EvaluationError(.nullValue, node: id)
    case (.map, _), (.list, _), (.string, _), (.path, _):
      let expected = if case .map = object { "string" } else { "int" }
      throw EvaluationError(
        .unsupported(
          received: "\(object.typeName)[\(key.typeName)]", expected: "\(object.typeName)[\(expected)]"),
        node: id)
    default: throw EvaluationError(.unknownFunction("[]"), node: id)
    }
  }

  /// Returns a part, from an index until before another one.
  static func slice(
    _ object: RulesValue, _ from: RulesValue?, _ to: RulesValue?, _ id: Int
  ) throws(EvaluationError) -> RulesValue {
    switch object {
    // Without bounds, nothing is checked.
    case .list, .string, .path: if from == nil, to == nil { return object }
    default: break
    }
    switch object {
    case .list(let elements): return .list(Array(elements[try range(object, from, to, elements.count, id)]))
    case .string(let text):
      let units = Array(text.utf16)
      // Checked: `index` has checked that these are places of elements.
      return .string(String(decoding: units[try range(object, from, to, units.count, id)], as: UTF16.self))
    case .path(let path):
      return .path(
        RulesPath(segments: Array(path.segments[try range(object, from, to, path.segments.count, id)])))
    case .null: throw EvaluationError(.nullValue, node: id)
    default: throw EvaluationError(.unknownFunction("@range"), node: id)
    }
  }

  private static func range(
    _ object: RulesValue, _ from: RulesValue?, _ to: RulesValue?, _ count: Int, _ id: Int
  ) throws(EvaluationError) -> Range<Int> {
    func bound(_ value: RulesValue?, _ standard: Int) throws(EvaluationError) -> Int64 {
      switch value {
      // Checked: `index` has checked that these are places of elements.
      case nil: return Int64(standard)
      case .integer(let index): return index
      default:
        let type = object.typeName
        throw EvaluationError(
          .unsupported(
            received: "\(type)[\(from?.typeName ?? "null"):\(to?.typeName ?? "null")]",
            expected: "\(type)[null:null], \(type)[null:int], \(type)[int:null], \(type)[int:int]"),
          node: id)
      }
    }
    let lower = try bound(from, 0)
    let upper = try bound(to, count)
    // Google checks the last element rather than the end.
    let start = try index(lower, count, id)
    let last = try index(upper &- 1, count, id)
    // Checked: `index` has checked that these are places of elements.
    guard start <= last + 1 else {
      throw EvaluationError(
        .other("Illegal range error. From index: [\(lower)] , To index: [\(upper)]."), node: id)
    }
    // Checked: both are places of elements.
    return start..<(last + 1)
  }

  private static func index(_ index: Int64, _ count: Int, _ id: Int) throws(EvaluationError) -> Int {
    guard index >= 0, let place = Int(exactly: index), place < count else {
      throw EvaluationError(
        .other("Index out of bound error. Index: [\(index)] , size: [\(count)]."), node: id)
    }
    return place
  }
}
