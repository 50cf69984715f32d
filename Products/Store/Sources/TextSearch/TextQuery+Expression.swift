extension TextQuery {
  /// The maximum number of trigrams that begin with a term of one or two characters, all of which are searched for.
  static let maximumExpansion = 2_000

  /// Returns the condition as an FTS5 expression (https://sqlite.org/fts5.html#full_text_query_syntax).
  ///
  /// - Parameters:
  ///   - tokenizer: the tokenizer of the index.
  ///   - trigrams: returns the trigrams of the index that begin with a term of one or two characters.
  /// - Returns: the expression; `nil` if nothing can satisfy it.
  /// - Throws: what `trigrams` throws.
  func expression(
    for tokenizer: TextIndex.Tokenizer, trigrams: (String) throws -> [String]
  ) rethrows -> String? {
    try condition.flatMap { try Self.expression(of: $0, for: tokenizer, trigrams) }
  }

  private static func expression(
    of condition: Condition, for tokenizer: TextIndex.Tokenizer, _ trigrams: (String) throws -> [String]
  ) rethrows -> String? {
    switch condition {
    case .term(let text, let isPrefix):
      guard tokenizer == .trigrams else { return quoted(text) + (isPrefix ? "*" : "") }
      // The trigram tokenizer divides shorter texts into nothing.
      guard text.unicodeScalars.count < 3 else { return quoted(text) }
      return disjunction(try trigrams(text).map(quoted))
    case .any(let conditions):
      return disjunction(try conditions.compactMap { try expression(of: $0, for: tokenizer, trigrams) })
    case .all(let conditions, let excluded):
      var parts: [String] = []
      for condition in conditions {
        guard let part = try expression(of: condition, for: tokenizer, trigrams) else { return nil }
        parts.append(part)
      }
      let required = "(\(parts.joined(separator: " AND ")))"
      let others = disjunction(
        try excluded.compactMap { try expression(of: $0, for: tokenizer, trigrams) })
      return others.map { "(\(required) NOT \($0))" } ?? required
    }
  }

  private static func disjunction(_ parts: [String]) -> String? {
    parts.isEmpty ? nil : "(\(parts.joined(separator: " OR ")))"
  }

  /// Returns a text as a string of FTS5, in which nothing is an operator.
  private static func quoted(_ text: String) -> String {
    "\"\(String(String.UnicodeScalarView(text.unicodeScalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] })))\""
  }

  /// An expression that finds the texts with at least one of the words and phrases that are searched for, whose places are then
  /// marked; `nil` if there are none.
  func expressionOfTerms() -> String? {
    func terms(_ condition: Condition) -> [Condition] {
      switch condition {
      case .term: [condition]
      case .all(let conditions, _), .any(let conditions): conditions.flatMap(terms)
      }
    }
    return condition.flatMap { Self.expression(of: .any(terms($0)), for: .words) { _ in [] } }
  }
}
