package import TenonStoreInterop

extension SecurityRules {
  /// Returns whether the rules allow a request, and why not, without waiting for documents.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - read: returns a document, called once for each that the rules read; see
  ///     ``RulesDocuments/document(_:isAfterWrites:)``.
  /// - Throws: what `read` throws.
  package func decision(
    on request: RulesRequest, reading read: (ResourcePath, _ isAfterWrites: Bool) throws -> RulesDocument
  ) rethrows -> RulesDecision {
    var last = RulesDecision(verdict: .denied, reasons: [])
    // A query with several alternatives is allowed if each of them is.
    for input in request.inputs ?? [] {
      last = try decision(on: input, of: request.service, reading: read)
      guard last.isAllowed else { break }
    }
    return last
  }

  private func decision(
    on input: EvaluationInput, of service: String,
    reading read: (ResourcePath, _ isAfterWrites: Bool) throws -> RulesDocument
  ) rethrows -> RulesDecision {
    var known = KnownDocuments()
    while true {
      switch step(service: service, input, known: known) {
      case .decided(let decision): return decision
      case .needs(let lookups):
        for lookup in lookups {
          let document = try read(ResourcePath(segments: lookup.segments), lookup.isAfter)
          known.states[lookup] = DocumentState(document, at: lookup.segments, database: input.database)
        }
      }
    }
  }
}
