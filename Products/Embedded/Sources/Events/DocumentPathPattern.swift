import TenonValues

/// The pattern of the paths of documents for which a function is called, as in Cloud Functions: `users/ada`,
/// `users/{uid}/notes/{note}`, or `users/{uid}/{rest=**}` for any number of segments.
struct DocumentPathPattern: Sendable, Hashable {
  /// A part of the pattern.
  private enum Part: Sendable, Hashable {
    /// A segment that must be the same.
    case literal(String)
    /// Any one segment.
    case one(String)
    /// One or more segments.
    case many(String)
  }

  private let parts: [Part]

  /// The greatest number of segments and of bytes of a pattern.
  private static let mostParts = 100
  private static let longest = 6_144

  /// Parses a pattern.
  ///
  /// - Throws: ``FunctionRegistrationError`` with `invalidPath`, with the pattern and what is wrong with it.
  init(_ text: String) throws(FunctionRegistrationError) {
    func refusal(_ problem: String) -> FunctionRegistrationError {
      FunctionRegistrationError(
        .invalidPath,
        "\"\(text.prefix(200))\" can't be the path of documents: \(problem). Write it as users/{uid}/notes/{note}."
      )
    }
    guard text.utf8.count <= Self.longest else { throw refusal("it has more than \(Self.longest) bytes") }
    let segments = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
      .map(String.init)
    guard segments.count <= Self.mostParts else {
      throw refusal("it has more than \(Self.mostParts) segments")
    }
    var parts: [Part] = []
    var names: Set<String> = []
    for segment in segments {
      guard !segment.isEmpty else { throw refusal("it has an empty segment") }
      guard segment.contains(where: { "{}*".contains($0) }) else {
        parts.append(.literal(segment))
        continue
      }
      guard segment.hasPrefix("{"), segment.hasSuffix("}"), segment.count > 2 else {
        throw refusal("the wildcard \(segment.prefix(50)) must be a whole segment in braces")
      }
      let sides = segment.dropFirst().dropLast().split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(sides[0])
      guard !name.isEmpty,
        name.utf8.allSatisfy({
          (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
        })
      else { throw refusal("the name of the wildcard \(segment.prefix(50)) must be letters, digits and _") }
      guard names.insert(name).inserted else { throw refusal("two wildcards have the name \(name)") }
      switch sides.count == 1 ? "*" : sides[1] {
      case "*": parts.append(.one(name))
      case "**": parts.append(.many(name))
      default: throw refusal("\(segment.prefix(50)) must be {name}, {name=*} or {name=**}")
      }
    }
    let hasMany = parts.contains { if case .many = $0 { true } else { false } }
    let manyCount = parts.count { if case .many = $0 { true } else { false } }
    guard manyCount <= 1 else { throw refusal("only one wildcard can be {name=**}") }
    guard hasMany || parts.count.isMultiple(of: 2) else {
      throw refusal("a document has an even number of segments, and this has \(parts.count)")
    }
    self.parts = parts
  }

  /// Returns the values of the wildcards for a path; `nil` if the path doesn't match.
  ///
  /// - Complexity: O(*n*) in the number of segments.
  func match(_ path: ResourcePath) -> [String: String]? {
    let segments = path.segments
    var parameters: [String: String] = [:]
    guard segments.count >= parts.count else { return nil }
    var position = 0
    for (index, part) in parts.enumerated() {
      switch part {
      case .literal(let text):
        // Texts that look the same can have different bytes, and are different IDs.
        guard segments[position].utf8.elementsEqual(text.utf8) else { return nil }
        position += 1
      case .one(let name):
        parameters[name] = segments[position]
        position += 1
      case .many(let name):
        var taken: [String] = []
        // The rest is for the parts behind it, of which each is one segment.
        while segments.count - position > parts.count - index - 1 {
          taken.append(segments[position])
          position += 1
        }
        parameters[name] = taken.joined(separator: "/")
      }
    }
    return position == segments.count ? parameters : nil
  }
}
