import TenonValues

/// What a search text asks for.
///
/// The text may be searched for while it is being typed: what is open at its end is closed there, and
/// operators without an operand and terms without a letter or digit are ignored. Nothing that is typed is an
/// error, within the limits.
struct TextQuery: Sendable, Hashable {
  /// A condition on the text of a document.
  indirect enum Condition: Sendable, Hashable {
    /// The text contains a word or phrase. With `isPrefix`, the last word may continue.
    case term(String, isPrefix: Bool)
    /// All of the first conditions hold, and none of the others.
    case all([Condition], except: [Condition])
    /// At least one of the conditions holds.
    case any([Condition])
  }

  /// The maximum length of a text, in UTF-8 bytes.
  static let maximumLength = 4_096
  /// The maximum number of words and phrases.
  static let maximumTerms = 128
  /// The maximum number of parentheses that are open at the same time.
  static let maximumDepth = 16

  /// The condition; `nil` if the text names nothing that is searched for, so that nothing is found.
  let condition: Condition?

  /// Parses a text.
  ///
  /// - Parameters:
  ///   - text: the text, as ``QuerySource/search(_:)`` describes it.
  ///   - tokenizer: decides which terms can be searched for.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if it exceeds a limit.
  /// - Complexity: O(n) in the length of the text.
  init(_ text: String, for tokenizer: TextIndex.Tokenizer) throws(StoreError) {
    guard text.utf8.count <= Self.maximumLength else {
      throw Self.refuse("has \(text.utf8.count) bytes; at most \(Self.maximumLength) are allowed")
    }
    var parser = Parser(TextQueryToken.tokens(of: text), tokenizer)
    condition = try parser.alternatives(isNested: false).condition
  }

  /// The words and phrases that are searched for, without those that are excluded.
  var terms: [String] {
    condition?.terms.compactMap { if case .term(let text, _) = $0 { text } else { nil } } ?? []
  }

  private static func refuse(_ reason: String) -> StoreError {
    StoreError(.invalidArgument, "The search text \(reason).")
  }

  /// A recursive-descent parser of the grammar:
  ///
  ///     alternatives = conjunction { "OR" conjunction }
  ///     conjunction  = { [ "AND" ] [ "NOT" | "-" ] unit }
  ///     unit         = term | "(" alternatives ")"
  private struct Parser {
    private let tokens: [TextQueryToken]
    private let tokenizer: TextIndex.Tokenizer
    private var position = 0
    private var depth = 0
    private var terms = 0

    init(_ tokens: [TextQueryToken], _ tokenizer: TextIndex.Tokenizer) {
      self.tokens = tokens
      self.tokenizer = tokenizer
    }

    private var token: TextQueryToken? { position < tokens.count ? tokens[position] : nil }

    /// What a part of the text asks for.
    struct Part {
      /// The condition; `nil` if there is none, or only exclusions.
      var condition: Condition?
      /// What must not occur, if the part consists of nothing else.
      var excluded: [Condition] = []
    }

    /// Parses up to the closing parenthesis or the end. Outside of parentheses, a closing one is ignored. One
    /// of several alternatives that only excludes something finds nothing.
    mutating func alternatives(isNested: Bool) throws(StoreError) -> Part {
      var found: [Condition] = []
      var exclusions: [[Condition]] = []
      while true {
        let part = try conjunction()
        if let condition = part.condition { found.append(condition) }
        if !part.excluded.isEmpty { exclusions.append(part.excluded) }
        switch token {
        case .or: position += 1
        case .close where !isNested: position += 1
        default:
          if found.isEmpty, exclusions.count == 1 { return Part(excluded: exclusions[0]) }
          return Part(condition: found.count > 1 ? .any(found) : found.first)
        }
      }
    }

    /// Parses up to `OR`, the closing parenthesis or the end.
    private mutating func conjunction() throws(StoreError) -> Part {
      var (required, excluded): ([Condition], [Condition]) = ([], [])
      var excludes = false
      while let token, token != .or, token != .close {
        position += 1
        switch token {
        case .not: excludes = true
        case .term(let text, let isPrefix):
          if let condition = try term(text, isPrefix) {
            if excludes { excluded.append(condition) } else { required.append(condition) }
          }
          excludes = false
        case .open:
          let part = try nested()
          if let condition = part.condition {
            if excludes { excluded.append(condition) } else { required.append(condition) }
          } else if !part.excluded.isEmpty {
            // Excluding what is excluded requires it.
            if excludes { required.append(.any(part.excluded)) } else { excluded += part.excluded }
          }
          excludes = false
        case .and, .or, .close: continue
        }
      }
      guard let first = required.first else { return Part(excluded: excluded) }
      return Part(
        condition: required.count == 1 && excluded.isEmpty ? first : .all(required, except: excluded))
    }

    /// Parses what follows an opening parenthesis.
    private mutating func nested() throws(StoreError) -> Part {
      depth += 1
      guard depth <= TextQuery.maximumDepth else {
        throw TextQuery.refuse("has more than \(TextQuery.maximumDepth) open parentheses")
      }
      let part = try alternatives(isNested: true)
      if token == .close { position += 1 }
      depth -= 1
      return part
    }

    /// Returns the condition of a term; `nil` if the index has nothing that it could be compared with.
    private mutating func term(_ text: String, _ isPrefix: Bool) throws(StoreError) -> Condition? {
      let isSearchable =
        tokenizer == .trigrams ? !text.isEmpty : text.unicodeScalars.contains(where: \.isPartOfWord)
      guard isSearchable else { return nil }
      terms += 1
      guard terms <= TextQuery.maximumTerms else {
        throw TextQuery.refuse("has more than \(TextQuery.maximumTerms) words and phrases")
      }
      return .term(text, isPrefix: isPrefix)
    }
  }
}

extension Unicode.Scalar {
  /// Whether FTS5's tokenizer `unicode61` makes the character part of a word: letters, digits and private
  /// ones.
  fileprivate var isPartOfWord: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .privateUse:
      true
    default: false
    }
  }
}
