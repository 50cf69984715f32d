import TenonFoundation
import TenonHashes
import TenonJSON
import TenonValues

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(ucrt)
  import ucrt
#endif

/// A function that the language provides.
enum Builtin: String, Sendable {
  case get, exists, getAfter, existsAfter, debug, int, float, string, path
  case storageGet = "firestore.get"
  case storageExists = "firestore.exists"
  case abs = "math.abs"
  case ceil = "math.ceil"
  case floor = "math.floor"
  case round = "math.round"
  case squareRoot = "math.sqrt"
  case power = "math.pow"
  case isNaN = "math.isNaN"
  case isInfinity = "math.isInfinity"
  case md5 = "hashing.md5"
  case sha256 = "hashing.sha256"
  case crc32 = "hashing.crc32"
  case crc32c = "hashing.crc32c"
  case durationValue = "duration.value"
  case durationTime = "duration.time"
  case durationAbs = "duration.abs"
  case timestampDate = "timestamp.date"
  case timestampValue = "timestamp.value"
  case latlng = "latlng.value"

  /// The names before the points of functions. They aren't variables.
  static let packages: Set<String> = ["math", "hashing", "duration", "timestamp", "latlng"]

  /// Whether it reads a document of the service for which it is called. Storage has no documents, but
  /// `firestore.get` and `firestore.exists`.
  var readsOwnDatabase: Bool {
    switch self {
    case .get, .exists, .getAfter, .existsAfter: true
    default: false
    }
  }

  /// The number of arguments.
  var argumentCount: Int {
    switch self {
    case .power, .durationValue, .latlng: 2
    case .timestampDate: 3
    case .durationTime: 4
    default: 1
    }
  }

  /// Calls the function.
  func call(_ arguments: [RulesValue], _ run: Run, _ id: Int) throws(EvaluationError) -> RulesValue {
    guard arguments.count == argumentCount else {
      throw EvaluationError(
        .other("Incorrect number of arguments. Received: \(arguments.count). Expected: \(rawValue)."),
        node: id)
    }
    switch self {
    case .get, .getAfter, .storageGet, .exists, .existsAfter, .storageExists:
      return try document(arguments[0], run, id)
    case .debug: return arguments[0]
    case .int: return .integer(try Conversions.integer(arguments[0], id))
    case .float: return .float(try Conversions.float(arguments[0], id))
    case .string: return .string(try Conversions.text(arguments[0], id))
    case .path: return try pathValue(arguments, id)
    case .abs, .ceil, .floor, .round, .squareRoot, .power, .isNaN, .isInfinity: return try math(arguments, id)
    case .md5, .sha256, .crc32, .crc32c: return try hash(arguments, id)
    default: return try timeOrPlace(arguments, id)
    }
  }

  private func unsupported(_ arguments: [RulesValue], _ expected: String..., id: Int) -> EvaluationError {
    EvaluationError(
      .unsupported(
        received: "\(rawValue)(\(arguments.map(\.typeName).joined(separator: ", ")))",
        expected: expected.map { "\(rawValue)(\($0))" }.joined(separator: ", ")),
      node: id)
  }

  // MARK: - Documents

  private func document(_ argument: RulesValue, _ run: Run, _ id: Int) throws(EvaluationError) -> RulesValue {
    guard case .path(let path) = argument else { throw unsupported([argument], "path", id: id) }
    let isAfter = self == .getAfter || self == .existsAfter
    let state = try run.document(path, isAfter: isAfter, id)
    let isTest = self == .exists || self == .existsAfter || self == .storageExists
    switch state {
    case .exists(let document): return isTest ? .boolean(true) : .map(document)
    default:
      if isTest { return .boolean(false) }
      throw EvaluationError(.missingDocument(path), node: id)
    }
  }

  private func pathValue(_ arguments: [RulesValue], _ id: Int) throws(EvaluationError) -> RulesValue {
    guard case .string(let text) = arguments[0] else { throw unsupported(arguments, "string", id: id) }
    if text.isEmpty { throw EvaluationError(.other("Empty Path Template is not allowed."), node: id) }
    let rest = text.utf8.first == UInt8(ascii: "/") ? text.dropFirst() : Substring(text)
    var segments: [RulesPath.Segment] = []
    for part in rest.split(separator: "/", omittingEmptySubsequences: false) {
      let part = Self.trimmed(part)
      guard !part.isEmpty else {
        throw EvaluationError(
          .other("Invalid Path Template \(text). Empty segment is not allowed."), node: id)
      }
      guard part.first == "{" else {
        segments.append(.text(Parser.decoded(part)))
        continue
      }
      guard part.last == "}" else {
        throw EvaluationError(
          .other("Invalid Path Template \(text). The capture segment is not closed."), node: id)
      }
      let capture = part.dropFirst().dropLast().split(separator: "=", omittingEmptySubsequences: false)
      let name = Self.trimmed(capture.first ?? "")
      guard capture.count <= 2, Self.isIdentifier(name) else {
        throw EvaluationError(.other("Invalid Path Template \(text). A name is expected."), node: id)
      }
      segments.append(.variable(String(name), bound: nil, isRecursive: capture.last == "**"))
    }
    return .path(RulesPath(segments: segments))
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var bytes = text.utf8.drop { $0 <= UInt8(ascii: " ") }
    while let last = bytes.last, last <= UInt8(ascii: " ") { bytes.removeLast() }
    return Substring(bytes)
  }

  private static func isIdentifier(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      return false
    }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
        true
      default: false
      }
    }
  }

  // MARK: - Numbers

  private func math(_ arguments: [RulesValue], _ id: Int) throws(EvaluationError) -> RulesValue {
    switch (self, arguments[0]) {
    // The least integer is its own absolute value, as in Java.
    case (.abs, .integer(let value)): return .integer(value < 0 ? 0 &- value : value)
    case (.abs, .float(let value)): return .float(value.magnitude)
    // Large integers are rounded to a float first, as by Google.
    case (.round, .integer(let value)): return .integer(Self.rounded(Double(value)))
    case (.round, .float(let value)): return .integer(Self.rounded(value))
    case (_, .integer), (_, .float):
      let value = try Conversions.float(arguments[0], id)
      switch self {
      case .ceil: return .float(value.rounded(.up))
      case .floor: return .float(value.rounded(.down))
      case .squareRoot: return .float(value.squareRoot())
      case .isNaN: return .boolean(value.isNaN)
      case .isInfinity: return .boolean(value.isInfinite)
      default:
        switch arguments[1] {
        case .integer, .float: return .float(Self.power(value, try Conversions.float(arguments[1], id)))
        default: throw unsupported(arguments, "float, float", id: id)
        }
      }
    default: throw unsupported(arguments, self == .power ? "float, float" : "float", id: id)
    }
  }

  /// Rounds half up, as Java does.
  private static func rounded(_ value: Double) -> Int64 {
    let floor = value.rounded(.down)
    // Checked: a sum of floats.
    return Conversions.saturating(value - floor >= 0.5 ? floor + 1 : floor)
  }

  /// Raises to a power as Java does, where 1 to the power of NaN or infinity is NaN.
  private static func power(_ base: Double, _ exponent: Double) -> Double {
    if exponent.isNaN || (base.magnitude == 1 && exponent.isInfinite) { return .nan }
    return pow(base, exponent)
  }

  // MARK: - Hashes

  private func hash(_ arguments: [RulesValue], _ id: Int) throws(EvaluationError) -> RulesValue {
    let bytes: Data
    switch arguments[0] {
    case .bytes(let value): bytes = value
    case .string(let text): bytes = Data(text.utf8)
    default: throw unsupported(arguments, "bytes", "string", id: id)
    }
    switch self {
    case .md5:
      var hash = MD5()
      hash.update(bytes)
      return .bytes(hash.digest)
    case .sha256: return .bytes(SHA256.digest(bytes))
    case .crc32c:
      var hash = CRC32C()
      hash.update(bytes)
      return .bytes(Self.littleEndian(hash.value))
    default: return .bytes(Self.littleEndian(CRC32.value(bytes)))
    }
  }

  private static func littleEndian(_ value: UInt32) -> Data {
    Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
  }

  // MARK: - Times and places

  private func timeOrPlace(_ arguments: [RulesValue], _ id: Int) throws(EvaluationError) -> RulesValue {
    switch self {
    case .durationValue: return try durationValue(arguments, id)
    case .durationTime: return try durationTime(arguments, id)
    case .durationAbs:
      guard case .duration(let value) = arguments[0] else { throw unsupported(arguments, "duration", id: id) }
      return .duration(value.seconds < 0 || value.nanoseconds < 0 ? value.negated : value)
    case .timestampDate: return try date(arguments, id)
    case .timestampValue:
      guard case .integer(let milliseconds) = arguments[0] else {
        throw unsupported(arguments, "int", id: id)
      }
      let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
      let time = Timestamp(
        seconds: rest < 0 ? seconds &- 1 : seconds,
        nanoseconds: Int32(truncatingIfNeeded: (rest < 0 ? rest + 1000 : rest) * 1_000_000))
      guard Conversions.timestampSeconds.contains(time.seconds) else {
        throw EvaluationError(.other(Conversions.timestampRange), node: id)
      }
      return .timestamp(time)
    default: return try latlng(arguments, id)
    }
  }

  private func durationValue(_ arguments: [RulesValue], _ id: Int) throws(EvaluationError) -> RulesValue {
    guard case .integer(let count) = arguments[0], case .string(let unit) = arguments[1] else {
      throw unsupported(arguments, "int, string", id: id)
    }
    let duration: RulesDuration?
    switch unit {
    case "w": duration = Self.seconds(count, 604_800)
    case "d": duration = Self.seconds(count, 86_400)
    case "h": duration = Self.seconds(count, 3_600)
    case "m": duration = Self.seconds(count, 60)
    case "s": duration = Self.seconds(count, 1)
    case "ms": duration = RulesDuration(seconds: count / 1000, nanoseconds: count % 1000 * 1_000_000)
    case "ns": duration = RulesDuration(seconds: 0, nanoseconds: count)
    default: throw EvaluationError(.other("Invalid unit of a duration: \(unit)."), node: id)
    }
    guard let duration else { throw EvaluationError(.other(Conversions.durationRange), node: id) }
    return .duration(duration)
  }

  private static func seconds(_ count: Int64, _ unit: Int64) -> RulesDuration? {
    let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
    return overflow ? nil : RulesDuration(seconds: seconds)
  }

  private func durationTime(_ arguments: [RulesValue], _ id: Int) throws(EvaluationError) -> RulesValue {
    guard case .integer(let hours) = arguments[0], case .integer(let minutes) = arguments[1],
      case .integer(let seconds) = arguments[2], case .integer(let nanoseconds) = arguments[3]
    else { throw unsupported(arguments, "int, int, int, int", id: id) }
    guard let hours = Self.seconds(hours, 3_600), let minutes = Self.seconds(minutes, 60),
      let seconds = Self.seconds(seconds, 1),
      let duration = RulesDuration(
        // Checked: durations are limited to 10,000 years, and years to 9999.
        seconds: hours.seconds + minutes.seconds + seconds.seconds, nanoseconds: nanoseconds)
    else { throw EvaluationError(.other(Conversions.durationRange), node: id) }
    return .duration(duration)
  }

  private func date(_ arguments: [RulesValue], _ id: Int) throws(EvaluationError) -> RulesValue {
    guard case .integer(let year) = arguments[0], case .integer(let month) = arguments[1],
      case .integer(let day) = arguments[2]
    else { throw unsupported(arguments, "int, int, int", id: id) }
    guard (1...9999).contains(year), let year = Int(exactly: year) else {
      throw EvaluationError(
        .other("Timestamp should be between 0001-01-01T00.00.00Z and 9999-12-31T23.59.59Z. year: \(year)."),
        node: id)
    }
    guard (1...12).contains(month), let month = Int(exactly: month), let day = Int(exactly: day),
      day >= 1, day <= GregorianCalendar.days(of: month, in: year)
    else {
      throw EvaluationError(
        .other("Date is not valid. year: \(year), month: \(month) day: \(day)."), node: id)
    }
    // Checked: durations are limited to 10,000 years, and years to 9999.
    return .timestamp(Timestamp(seconds: Int64(GregorianCalendar.days(to: day, month, year)) * 86_400))
  }

  private func latlng(_ arguments: [RulesValue], _ id: Int) throws(EvaluationError) -> RulesValue {
    switch (arguments[0], arguments[1]) {
    case (.integer, .integer), (.integer, .float), (.float, .integer), (.float, .float): break
    default: throw unsupported(arguments, "float, float", id: id)
    }
    let latitude = try Conversions.float(arguments[0], id)
    let longitude = try Conversions.float(arguments[1], id)
    guard latitude.magnitude <= 90, longitude.magnitude <= 180 else {
      throw EvaluationError(
        .other(
          "Latitude should be in [-90,90] range and longitude should be in [-180,180] range. latitude: \(latitude), longitude: \(longitude)."
        ), node: id)
    }
    return .latlng(GeoPoint(latitude: latitude, longitude: longitude))
  }

  /// The distance of two points in metres, on a sphere.
  static func distance(_ left: GeoPoint, _ right: GeoPoint) -> Double {
    let radians = Double.pi / 180
    let (first, second) = (left.latitude * radians, right.latitude * radians)
    let latitude = sin(0.5 * (second - first))
    let longitude = sin(0.5 * (right.longitude * radians - left.longitude * radians))
    let chord = latitude * latitude + longitude * longitude * cos(first) * cos(second)
    return 2 * atan2(chord.squareRoot(), max(0, 1 - chord).squareRoot()) * 6_371_009
  }
}
