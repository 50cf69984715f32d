import TenonFoundation
import TenonJSON
import TenonValues

/// A method of values. Which one a name means depends on the value, so it is decided during the evaluation.
enum Method: String, Sendable {
  // Several types.
  case size, get, hasAll, hasAny, hasOnly, seconds, nanos
  // Lists and sets.
  case concat, join, removeAll, toSet, difference, intersection, union
  // Maps and their differences.
  case keys, values, diff, addedKeys, affectedKeys, changedKeys, removedKeys, unchangedKeys
  // Strings and bytes.
  case lower, upper, trim, matches, replace, split, toUtf8, toBase64, toHexString
  // Times.
  case date, time, year, month, day, hours, minutes, dayOfWeek, dayOfYear, toMillis
  // Places and paths.
  case latitude, longitude, distance, bind

  /// The number of arguments.
  var argumentCount: Int {
    switch self {
    case .get, .replace: 2
    case .hasAll, .hasAny, .hasOnly, .concat, .join, .removeAll, .difference, .intersection, .union, .diff,
      .matches, .split, .distance, .bind:
      1
    default: 0
    }
  }

  /// Calls the method.
  func call(_ receiver: RulesValue, _ arguments: [RulesValue], _ id: Int) throws(EvaluationError)
    -> RulesValue
  {
    if case .null = receiver { throw EvaluationError(.nullValue, node: id) }
    guard arguments.count == argumentCount else {
      throw EvaluationError(
        .other(
          "Incorrect number of arguments. Received: \(arguments.count). Expected: \(receiver.typeName).\(rawValue)."
        ), node: id)
    }
    switch receiver {
    case .string(let text): return try string(text, receiver, arguments, id)
    case .bytes(let bytes): return try self.bytes(bytes, receiver, id)
    case .list(let elements): return try list(elements, receiver, arguments, id)
    case .set(let set): return try self.set(set, receiver, arguments, id)
    case .map(let map): return try self.map(map, receiver, arguments, id)
    case .mapDiff(let difference): return try mapDiff(difference, receiver, id)
    case .timestamp(let time): return try timestamp(time, receiver, id)
    case .duration(let duration):
      switch self {
      case .seconds: return .integer(duration.seconds)
      // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
      case .nanos: return .integer(Int64(duration.nanoseconds))
      default: throw unknown(for: receiver, id)
      }
    case .latlng(let point): return try latlng(point, receiver, arguments, id)
    case .path(let path): return try self.path(path, receiver, arguments, id)
    default: throw unknown(for: receiver, id)
    }
  }

  /// The error for a value that has no such method.
  func unknown(for receiver: RulesValue, _ id: Int) -> EvaluationError {
    if case .null = receiver { return EvaluationError(.nullValue, node: id) }
    return EvaluationError(.unknownFunction(rawValue), node: id)
  }

  /// The error for arguments that have the wrong types.
  private func unsupported(
    _ receiver: RulesValue, _ arguments: [RulesValue], _ expected: String, _ id: Int
  ) -> EvaluationError {
    let name = "\(receiver.typeName).\(rawValue)"
    return EvaluationError(
      .unsupported(
        received: "\(name)(\(arguments.map(\.typeName).joined(separator: ", ")))",
        expected: "\(name)(\(expected))"),
      node: id)
  }

  // MARK: - Strings and bytes

  private func string(
    _ text: String, _ receiver: RulesValue, _ arguments: [RulesValue], _ id: Int
  ) throws(EvaluationError) -> RulesValue {
    switch self {
    case .size: return .integer(Int64(text.utf16.count))
    // Only ASCII, as by Google.
    case .lower: return .string(Self.mapASCII(text) { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 })
    case .upper: return .string(Self.mapASCII(text) { $0 >= 97 && $0 <= 122 ? $0 - 32 : $0 })
    case .trim:
      var bytes = text.utf8.drop { $0 <= 32 }
      while let last = bytes.last, last <= 32 { bytes.removeLast() }
      return .string(String(Substring(bytes)))
    case .toUtf8: return .bytes(Data(text.utf8))
    case .matches, .split:
      guard case .string(let pattern) = arguments[0] else {
        throw unsupported(receiver, arguments, "string", id)
      }
      if self == .split { return .list(try Patterns.split(text, pattern, id).map { .string($0) }) }
      return .boolean(try Patterns.matches(try Patterns.pattern(pattern, id), text, id))
    case .replace:
      guard case .string(let pattern) = arguments[0], case .string(let replacement) = arguments[1] else {
        throw unsupported(receiver, arguments, "string, string", id)
      }
      return .string(try Patterns.replace(text, pattern, replacement, id))
    default: throw unknown(for: receiver, id)
    }
  }

  private static func mapASCII(_ text: String, _ transform: (UInt8) -> UInt8) -> String {
    String(decoding: text.utf8.map(transform), as: UTF8.self)
  }

  private func bytes(_ bytes: Data, _ receiver: RulesValue, _ id: Int) throws(EvaluationError) -> RulesValue {
    switch self {
    case .size: return .integer(Int64(bytes.count))
    case .toBase64:
      // The alphabet for URLs, but with padding.
      let text = bytes.base64EncodedString()
      return .string(
        Self.mapASCII(text) {
          $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        })
    case .toHexString:
      let digits = Array("0123456789ABCDEF".utf8)
      return .string(
        String(
          // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
          decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self))
    default: throw unknown(for: receiver, id)
    }
  }

  // MARK: - Lists and sets

  private func list(
    _ elements: [RulesValue], _ receiver: RulesValue, _ arguments: [RulesValue], _ id: Int
  ) throws(EvaluationError) -> RulesValue {
    switch self {
    case .size: return .integer(Int64(elements.count))
    case .toSet: return .set(RulesSet(elements))
    case .join:
      guard case .string(let separator) = arguments[0] else {
        throw unsupported(receiver, arguments, "string", id)
      }
      var texts: [String] = []
      for element in elements { texts.append(try Conversions.text(element, id)) }
      return .string(texts.joined(separator: separator))
    case .concat, .removeAll, .hasAll, .hasAny, .hasOnly:
      guard case .list(let others) = arguments[0] else { throw unsupported(receiver, arguments, "list", id) }
      switch self {
      case .concat: return .list(elements + others)
      case .removeAll:
        let removed = StrictValues(others)
        return .list(elements.filter { !removed.contains($0) })
      case .hasAll:
        let own = StrictValues(elements)
        return .boolean(others.allSatisfy(own.contains))
      case .hasAny:
        let own = StrictValues(elements)
        return .boolean(others.contains(where: own.contains))
      default:
        let allowed = StrictValues(others)
        return .boolean(elements.allSatisfy(allowed.contains))
      }
    default: throw unknown(for: receiver, id)
    }
  }

  private func set(
    _ set: RulesSet, _ receiver: RulesValue, _ arguments: [RulesValue], _ id: Int
  ) throws(EvaluationError) -> RulesValue {
    switch self {
    case .size: return .integer(Int64(set.elements.count))
    case .hasAll, .hasAny, .hasOnly:
      let others: RulesSet
      switch arguments[0] {
      case .list(let elements): others = RulesSet(elements)
      case .set(let other): others = other
      default: throw unsupported(receiver, arguments, "list", id)
      }
      switch self {
      case .hasAll: return .boolean(others.elements.allSatisfy(set.contains))
      case .hasAny: return .boolean(others.elements.contains(where: set.contains))
      default: return .boolean(set.elements.allSatisfy(others.contains))
      }
    case .union, .intersection, .difference:
      guard case .set(let other) = arguments[0] else { throw unsupported(receiver, arguments, "set", id) }
      switch self {
      case .union: return .set(RulesSet(set.elements + other.elements))
      case .intersection: return .set(RulesSet(unique: set.elements.filter(other.contains)))
      default: return .set(RulesSet(unique: set.elements.filter { !other.contains($0) }))
      }
    default: throw unknown(for: receiver, id)
    }
  }

  // MARK: - Maps

  private func map(
    _ map: RulesMap, _ receiver: RulesValue, _ arguments: [RulesValue], _ id: Int
  ) throws(EvaluationError) -> RulesValue {
    // Only the value of a key that is known can be proved.
    if map.isPartial, self != .get { throw EvaluationError(map.gapReason, node: id) }
    if self != .get { try receiver.checkIsKnown(id) }
    switch self {
    case .size: return .integer(Int64(map.count))
    case .keys: return .list(map.names.map { .string($0) })
    case .values: return .list(map.entries.map(\.value))
    case .diff:
      guard case .map(let other) = arguments[0] else { throw unsupported(receiver, arguments, "map", id) }
      try arguments[0].checkIsKnown(id)
      if other.isPartial { throw EvaluationError(other.gapReason, node: id) }
      return .mapDiff(RulesMapDiff(map, from: other))
    case .get:
      switch arguments[0] {
      case .string(let name):
        if let value = map[name] { return value }
        if map.isPartial { throw EvaluationError(map.gapReason, node: id) }
        return arguments[1]
      case .list(let names): return try nested(receiver, names, otherwise: arguments[1], id)
      default: throw unsupported(receiver, arguments, "string, any", id)
      }
    default: throw unknown(for: receiver, id)
    }
  }

  /// Returns the value that is found by following keys through maps.
  private func nested(
    _ map: RulesValue, _ names: [RulesValue], otherwise: RulesValue, _ id: Int
  ) throws(EvaluationError) -> RulesValue {
    var value = map
    for name in names {
      guard case .string(let name) = name else {
        throw EvaluationError(.type(received: name.typeName, expected: "string"), node: id)
      }
      guard case .map(let map) = value, let next = map[name] else {
        if let reason = value.gapReason { throw EvaluationError(reason, node: id) }
        return otherwise
      }
      value = next
    }
    return value
  }

  private func mapDiff(
    _ difference: RulesMapDiff, _ receiver: RulesValue, _ id: Int
  ) throws(EvaluationError) -> RulesValue {
    switch self {
    case .addedKeys: return difference.names(.added)
    case .removedKeys: return difference.names(.removed)
    case .changedKeys: return difference.names(.changed)
    case .unchangedKeys: return difference.names(.unchanged)
    case .affectedKeys: return difference.names(.added, .removed, .changed)
    default: throw unknown(for: receiver, id)
    }
  }

  // MARK: - Times, places and paths

  private func timestamp(_ time: Timestamp, _ receiver: RulesValue, _ id: Int) throws(EvaluationError)
    -> RulesValue
  {
    guard Conversions.timestampSeconds.contains(time.seconds) else {
      throw EvaluationError(.other(Conversions.timestampRange), node: id)
    }
    let days = GregorianCalendar.floor(Int(clamping: time.seconds), 86_400)
    // Checked: the seconds of a timestamp are limited.
    let second = Int(clamping: time.seconds) - days * 86_400
    let date = GregorianCalendar.day(days)
    switch self {
    // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
    case .nanos: return .integer(Int64(time.nanoseconds))
    // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
    case .seconds: return .integer(Int64(second % 60))
    // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
    case .minutes: return .integer(Int64(second / 60 % 60))
    // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
    case .hours: return .integer(Int64(second / 3_600))
    // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
    case .day: return .integer(Int64(date.day))
    // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
    case .month: return .integer(Int64(date.month))
    // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
    case .year: return .integer(Int64(date.year))
    // 1970-01-01 was a Thursday, the fourth day of the week.
    // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
    case .dayOfWeek: return .integer(Int64(days + 3 - GregorianCalendar.floor(days + 3, 7) * 7 + 1))
    // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
    case .dayOfYear: return .integer(Int64(days - GregorianCalendar.days(to: 1, 1, date.year) + 1))
    case .toMillis:
      let milliseconds = time.seconds.multipliedReportingOverflow(by: 1000).partialValue
      // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
      return .integer(milliseconds &+ Int64(time.nanoseconds / 1_000_000))
    // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
    case .date: return .timestamp(Timestamp(seconds: Int64(days) * 86_400))
    case .time:
      // Checked: the seconds are those of the years 1 to 9999, and sizes are those of values in memory.
      guard let duration = RulesDuration(seconds: Int64(second), nanoseconds: Int64(time.nanoseconds)) else {
        throw EvaluationError(.other(Conversions.durationRange), node: id)
      }
      return .duration(duration)
    default: throw unknown(for: receiver, id)
    }
  }

  private func latlng(
    _ point: GeoPoint, _ receiver: RulesValue, _ arguments: [RulesValue], _ id: Int
  ) throws(EvaluationError) -> RulesValue {
    switch self {
    case .latitude: return .float(point.latitude)
    case .longitude: return .float(point.longitude)
    case .distance:
      guard case .latlng(let other) = arguments[0] else {
        throw unsupported(receiver, arguments, "latlng", id)
      }
      return .float(Builtin.distance(point, other))
    default: throw unknown(for: receiver, id)
    }
  }

  private func path(
    _ path: RulesPath, _ receiver: RulesValue, _ arguments: [RulesValue], _ id: Int
  ) throws(EvaluationError) -> RulesValue {
    guard self == .bind else { throw unknown(for: receiver, id) }
    guard case .map(let values) = arguments[0] else { throw unsupported(receiver, arguments, "map", id) }
    var segments: [RulesPath.Segment] = []
    var unused = Set(values.names)
    for segment in path.segments {
      guard case .variable(let name, let bound, let isRecursive) = segment else {
        segments.append(segment)
        continue
      }
      // Variables without values are dropped, as by Google.
      guard let value = values[name] else {
        if bound != nil { segments.append(segment) }
        continue
      }
      unused.remove(name)
      if bound != nil { throw EvaluationError(.other("Variable \(name) is already bound."), node: id) }
      if isRecursive {
        guard case .path(let rest) = value else {
          throw EvaluationError(.type(received: value.typeName, expected: "path"), node: id)
        }
        segments += rest.segments
      } else {
        let text = try Conversions.text(value, id)
        guard !text.isEmpty else {
          throw EvaluationError(
            .other("Cannot bind empty value to path template variable \(name)."), node: id)
        }
        segments.append(.variable(name, bound: text))
      }
    }
    guard unused.isEmpty else {
      throw EvaluationError(
        .other("Variable(s) \(unused.sorted().joined(separator: ", ")) do not exist in the path template."),
        node: id)
    }
    return .path(RulesPath(segments: segments))
  }
}
