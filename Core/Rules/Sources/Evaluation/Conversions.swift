import TenonFoundation

/// The conversions `string`, `int` and `float`, which are those of Java.
enum Conversions {
  static let durationRange =
    "Duration is not valid. Seconds must be in range [-315,576,000,000, +315,576,000,000]. Nanos must be in range [-999,999,999, +999,999,999]. Nanos must have the same sign as seconds."
  static let timestampRange =
    "Timestamp is not valid. Seconds must be in range [-62,135,596,800, +253,402,300,799]. Nanos must be in range [0, +999,999,999]."
  /// The seconds of the years 1 to 9999.
  static let timestampSeconds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Returns a value as text.
  static func text(_ value: RulesValue, _ id: Int) throws(EvaluationError) -> String {
    switch value {
    case .null: return "null"
    case .boolean(let value): return value ? "true" : "false"
    case .integer(let value): return String(value)
    case .float(let value): return text(value)
    case .string(let value): return value
    case .path(let value): return value.text
    default:
      throw EvaluationError(
        .unsupported(
          received: "string(\(value.typeName))",
          expected: ["int", "float", "null", "string", "bool", "path"].map { "string(\($0))" }
            .joined(separator: ", ")),
        node: id)
    }
  }

  /// Returns a float as Java writes it: with an exponent if it is at least 10 million or less than a
  /// thousandth, and always with a digit after the point.
  static func text(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
    let sign = value.sign == .minus ? "-" : ""
    // Checked: a sum of texts.
    if value == 0 { return sign + "0.0" }
    let (digits, exponent) = decimal(value.magnitude)
    // The point follows the first digit, times ten to the power of `exponent`.
    if exponent >= 7 || exponent < -3 {
      let fraction = digits.count > 1 ? String(decoding: digits[1...], as: UTF8.self) : "0"
      return "\(sign)\(String(decoding: digits[...0], as: UTF8.self)).\(fraction)E\(exponent)"
    }
    if exponent < 0 {
      // Checked: the exponent of a float has at most three digits, and its digits are counted.
      return sign + "0." + String(repeating: "0", count: -exponent - 1)
        // Checked: the exponent of a float has at most three digits, and its digits are counted.
        + String(decoding: digits, as: UTF8.self)
    }
    // Checked: the exponent of a float has at most three digits, and its digits are counted.
    let whole = digits.prefix(exponent &+ 1)
    // Checked: the exponent of a float has at most three digits, and its digits are counted.
    let padding = String(repeating: "0", count: exponent &+ 1 &- whole.count)
    let fraction = digits.dropFirst(whole.count)
    // Checked: the exponent of a float has at most three digits, and its digits are counted.
    return sign + String(decoding: whole, as: UTF8.self) + padding + "."
      // Checked: the exponent of a float has at most three digits, and its digits are counted.
      + (fraction.isEmpty ? "0" : String(decoding: fraction, as: UTF8.self))
  }

  /// The shortest digits that denote a positive number, and the power of ten of the first one.
  private static func decimal(_ value: Double) -> (digits: [UInt8], exponent: Int) {
    var digits: [UInt8] = []
    var (exponent, seenPoint, point) = (0, false, 0)
    let text = value.description
    let parts = text.split(separator: "e")
    for byte in parts[0].utf8 {
      if byte == UInt8(ascii: ".") {
        seenPoint = true
        point = digits.count
      } else {
        digits.append(byte)
      }
    }
    if !seenPoint { point = digits.count }
    // Checked: the exponent of a float has at most three digits, and its digits are counted.
    if parts.count > 1, let power = Int(parts[1]) { exponent = power }
    exponent = exponent &+ point &- 1
    let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
    if leading < digits.count {
      // Checked: the exponent of a float has at most three digits, and its digits are counted.
      digits.removeFirst(leading)
      exponent = exponent &- leading
    }
    while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return (digits, exponent)
  }

  /// Returns a value as an integer.
  static func integer(_ value: RulesValue, _ id: Int) throws(EvaluationError) -> Int64 {
    switch value {
    case .integer(let value): return value
    case .float(let value): return saturating(value)
    case .string(let text):
      // Checked: `nil` for a text that denotes no such number.
      guard let value = Int64(text) else { throw failure(text, to: "int", id) }
      return value
    default: throw unsupported("int", value, id)
    }
  }

  /// Returns the integer part of a float; the nearest integer if there is none, and 0 for NaN.
  static func saturating(_ value: Double) -> Int64 {
    if value.isNaN { return 0 }
    return Int64(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
  }

  /// Returns a value as a float.
  static func float(_ value: RulesValue, _ id: Int) throws(EvaluationError) -> Double {
    switch value {
    case .integer(let value): return Double(value)
    case .float(let value): return value
    case .string(let text):
      guard let value = float(text) else { throw failure(text, to: "float", id) }
      return value
    default: throw unsupported("float", value, id)
    }
  }

  /// Reads a float as Java does: with space around, and perhaps with a letter for its size behind.
  private static func float(_ text: String) -> Double? {
    var bytes = text.utf8.drop { $0 <= UInt8(ascii: " ") }
    while let last = bytes.last, last <= UInt8(ascii: " ") { bytes.removeLast() }
    var isNegative = false
    if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      bytes.removeFirst()
    }
    guard let first = bytes.first else { return nil }
    let word = String(Substring(bytes))
    if word == "NaN" { return .nan }
    if word == "Infinity" { return isNegative ? -.infinity : .infinity }
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) || first == UInt8(ascii: ".") else {
      return nil
    }
    let isHexadecimal = word.hasPrefix("0x") || word.hasPrefix("0X")
    // Hexadecimal digits include `f` and `d`, so there the letter must follow the exponent, which is
    // required.
    if isHexadecimal, !word.utf8.contains(where: { $0 == UInt8(ascii: "p") || $0 == UInt8(ascii: "P") }) {
      return nil
    }
    if let last = bytes.last,
      [UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "d"), UInt8(ascii: "D")].contains(last)
    {
      bytes.removeLast()
    }
    guard let number = Double(Substring(bytes)) else { return nil }
    return isNegative ? -number : number
  }

  private static func failure(_ text: String, to type: String, _ id: Int) -> EvaluationError {
    // Checked: a constant.
    let text = text.count > 100 ? text.prefix(100) + "…" : text
    return EvaluationError(
      .other("Type conversion error. Argument: [\(text)], From type: [string], To type: [\(type)]."), node: id
    )
  }

  private static func unsupported(_ type: String, _ value: RulesValue, _ id: Int) -> EvaluationError {
    EvaluationError(
      .unsupported(
        received: "\(type)(\(value.typeName))", expected: "\(type)(int), \(type)(float), \(type)(string)"),
      node: id)
  }
}
