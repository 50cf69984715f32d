extension RulesDecision {
  /// Why a request isn't allowed, with the places in the rules.
  package var refusalText: String {
    guard !reasons.isEmpty else {
      return "No allow statement of the Security Rules applies to the request, so it is denied."
    }
    // A file may have many statements, and clients show the message.
    let places = reasons.prefix(3).map {
      "line \($0.line): \($0.message) (L\($0.expressionLine):\($0.expressionColumn))"
    }
    return "The Security Rules deny the request. " + places.joined(separator: " ")
  }
}
