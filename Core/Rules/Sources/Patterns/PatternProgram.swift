/// What a pattern is compiled to: instructions that are followed from the first one. What follows the last
/// one is a match.
struct PatternProgram: Sendable {
  /// The instructions. Their offsets are relative to themselves, so that a part can be copied.
  var code: [Instruction] = []
  /// The classes that instructions refer to.
  var classes: [CharacterClass] = []
  /// The number of groups that are numbered.
  var groupCount = 0
  /// The numbers of the groups with names.
  var names: [String: Int] = [:]

  /// A step of the program.
  enum Instruction: Sendable, Hashable {
    /// Takes a character.
    case scalar(UInt32)
    /// Takes a character of a class.
    case characterClass(Int)
    /// Takes any character.
    case any
    /// Takes any character but a line feed.
    case anyButLineFeed
    /// Continues in two places; a match of the first is preferred.
    case split(Int, Int)
    /// Continues elsewhere.
    case jump(Int)
    /// Notes the place: `2 * group` is its start and the next number its end.
    case save(Int)
    /// Continues if something is true of the place.
    case assert(Assertion)
  }

  /// What can be true of a place between two characters.
  enum Assertion: Sendable, Hashable {
    case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary

    /// Returns whether it's true.
    ///
    /// - Parameters:
    ///   - offset: the place.
    ///   - text: the text.
    func holds(at offset: Int, of text: [Unicode.Scalar]) -> Bool {
      switch self {
      case .textStart: offset == 0
      case .textEnd: offset == text.count
      case .lineStart: offset == 0 || text[offset - 1] == "\n"
      case .lineEnd: offset == text.count || text[offset] == "\n"
      case .wordBoundary: isWordBoundary(offset, text)
      case .noWordBoundary: !isWordBoundary(offset, text)
      }
    }

    private func isWordBoundary(_ offset: Int, _ text: [Unicode.Scalar]) -> Bool {
      let before = offset > 0 && CharacterClass.isWord(text[offset - 1])
      let after = offset < text.count && CharacterClass.isWord(text[offset])
      return before != after
    }
  }

  /// Returns whether an instruction takes a character.
  func takes(_ scalar: Unicode.Scalar, at index: Int) -> Bool {
    switch code[index] {
    case .scalar(let value): value == scalar.value
    case .characterClass(let number): classes[number].contains(scalar)
    case .any: true
    case .anyButLineFeed: scalar != "\n"
    case .split, .jump, .save, .assert: false
    }
  }
}
