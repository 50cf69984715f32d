import TenonTransport

/// A pattern of the parameter `matchGlob`
/// (https://cloud.google.com/storage/docs/json_api/v1/objects/list#list-objects-and-prefixes-using-glob).
///
/// `*` stands for any number of characters other than a slash, `**` for any number of any characters, `**/` at the
/// beginning of a segment for any number of segments, `?` for a character other than a slash, `[a-z]` and `[!a-z]`
/// for one in a set or outside of it, and `{a,b}` for one of several patterns.
struct ObjectGlob: Sendable {
  /// The greatest length of a pattern, in bytes.
  private static let longest = 1_024
  /// The greatest depth of nested braces.
  private static let deepest = 8

  /// The characters from one to another, inclusive.
  private struct Span: Sendable {
    let first: Unicode.Scalar
    let last: Unicode.Scalar
  }

  /// What a name is compared with.
  private enum Step: Sendable {
    /// A character.
    case scalar(Unicode.Scalar)
    /// A character in a set, or outside of it; never a slash.
    case set([Span], isNegated: Bool)
    /// Any number of characters, with slashes or without them.
    case many(slashes: Bool)
    /// No character: the comparison continues at each of these steps.
    case jump([Int])
  }

  /// The steps. A name that gets behind the last one matches.
  private var steps: [Step] = []

  /// Parses a pattern.
  ///
  /// - Throws: ``Refusal`` with status 400 if it is too long, or has brackets or braces without their ends.
  init(_ pattern: String) throws {
    guard pattern.utf8.count <= Self.longest else { throw Self.malformed(pattern) }
    var rest = Array(pattern.unicodeScalars)[...]
    try parse(&rest, depth: 0)
    guard rest.isEmpty else { throw Self.malformed(pattern) }
  }

  private static func malformed(_ pattern: String) -> Refusal {
    Refusal.badObjectRequest(
      "The matchGlob \"\(pattern.prefix(100))\" isn't valid: brackets and braces must have ends, braces may be nested \(deepest) deep, and the pattern may have \(longest) bytes."
    )
  }

  /// Parses up to the end, or in braces up to a comma or the closing brace.
  private mutating func parse(_ rest: inout ArraySlice<Unicode.Scalar>, depth: Int) throws {
    var isBeginning = depth == 0
    while let next = rest.first {
      if depth > 0, next == "," || next == "}" { return }
      rest.removeFirst()
      switch next {
      case "*":
        let isDouble = rest.first == "*"
        while rest.first == "*" { rest.removeFirst() }
        if isDouble, isBeginning, rest.first == "/" {
          rest.removeFirst()
          steps.append(.jump([steps.count + 1, steps.count + 3]))
          steps += [.many(slashes: true), .scalar("/")]
          continue
        }
        steps.append(.many(slashes: isDouble))
      case "?": steps.append(.set([], isNegated: true))
      case "[": steps.append(try Self.set(&rest))
      case "{": try parseAlternatives(&rest, depth: depth)
      case "\\" where !rest.isEmpty: steps.append(.scalar(rest.removeFirst()))
      default: steps.append(.scalar(next))
      }
      isBeginning = next == "/"
    }
    guard depth == 0 else { throw Self.malformed("{") }
  }

  /// Parses what follows an opening brace.
  private mutating func parseAlternatives(_ rest: inout ArraySlice<Unicode.Scalar>, depth: Int) throws {
    guard depth < Self.deepest else { throw Self.malformed("{") }
    let start = steps.count
    var (beginnings, ends): ([Int], [Int]) = ([], [])
    steps.append(.jump([]))
    var isOpen = true
    while isOpen {
      beginnings.append(steps.count)
      try parse(&rest, depth: depth + 1)
      ends.append(steps.count)
      steps.append(.jump([]))
      isOpen = rest.popFirst() == ","
    }
    steps[start] = .jump(beginnings)
    for end in ends { steps[end] = .jump([steps.count]) }
  }

  /// Parses what follows an opening bracket.
  private static func set(_ rest: inout ArraySlice<Unicode.Scalar>) throws -> Step {
    let isNegated = rest.first == "!" || rest.first == "^"
    if isNegated { rest.removeFirst() }
    var ranges: [Span] = []
    while let first = rest.popFirst() {
      if first == "]", !ranges.isEmpty { return .set(ranges, isNegated: isNegated) }
      guard rest.first == "-", let last = rest.dropFirst().first, last != "]" else {
        ranges.append(Span(first: first, last: first))
        continue
      }
      rest.removeFirst(2)
      guard first <= last else { throw malformed("[\(first)-\(last)]") }
      ranges.append(Span(first: first, last: last))
    }
    throw malformed("[")
  }

  /// The greatest work that the comparison with a name takes: the steps by the bytes of the name.
  func work(_ name: String) -> Int { (steps.count &+ 1) &* name.utf8.count }

  /// Returns whether a name matches.
  ///
  /// - Complexity: O(*n* · *m*), where *n* is the length of the name and *m* that of the pattern.
  func matches(_ name: String) -> Bool {
    var states = closure(of: [0])
    for scalar in name.unicodeScalars {
      var next: [Int] = []
      for state in states where state < steps.count {
        switch steps[state] {
        case .scalar(scalar): next.append(state + 1)
        case .set(let ranges, let isNegated) where scalar != "/":
          if ranges.contains(where: { $0.first <= scalar && scalar <= $0.last }) != isNegated {
            next.append(state + 1)
          }
        case .many(let slashes) where slashes || scalar != "/": next.append(state)
        default: break
        }
      }
      states = closure(of: next)
      if states.isEmpty { return false }
    }
    return states.contains(steps.count)
  }

  /// Returns states and those that are reached from them without a character, each once.
  private func closure(of states: [Int]) -> [Int] {
    var isReached = [Bool](repeating: false, count: steps.count + 1)
    var (reached, open): ([Int], [Int]) = ([], states)
    while let state = open.popLast() {
      guard !isReached[state] else { continue }
      isReached[state] = true
      reached.append(state)
      guard state < steps.count else { continue }
      switch steps[state] {
      case .jump(let targets): open += targets
      case .many: open.append(state + 1)
      default: break
      }
    }
    return reached
  }
}
