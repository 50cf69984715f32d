package import TenonStoreInterop

extension SecurityRules {
  /// Returns whether the rules allow a request, and why not, without waiting for documents.
  ///
  /// - Parameters:
  ///   - request: the request, or one operation of it.
  ///   - known: the documents that were read for the request, which receives those that are read.
  ///   - read: returns a document, called once for each that the rules read; see
  ///     ``RulesDocuments/document(_:isAfterWrites:)``.
  /// - Throws: what `read` throws.
  package func decision(
    on request: RulesRequest, _ known: inout KnownDocuments,
    reading read: (ResourcePath, _ isAfterWrites: Bool) throws -> RulesDocument
  ) rethrows -> RulesDecision {
    known.beginOperation()
    var last = RulesDecision(verdict: .denied, reasons: [])
    // A query with several alternatives is allowed if each of them is.
    for input in request.inputs ?? [] {
      last = try decision(on: input, of: request.service, &known) { lookup in
        DocumentState(
          try read(ResourcePath(segments: lookup.segments), lookup.isAfter), at: lookup.segments,
          database: input.database)
      }
      guard last.isAllowed else { break }
    }
    return last
  }

  /// Returns what the rules say of one input, and reads the documents that they need.
  ///
  /// - Parameters:
  ///   - input: the input.
  ///   - service: the service, for example `cloud.firestore`.
  ///   - known: receives the documents.
  ///   - read: returns the state of a document.
  /// - Throws: what `read` throws.
  func decision(
    on input: EvaluationInput, of service: String, _ known: inout KnownDocuments,
    reading read: (DocumentLookup) throws -> DocumentState
  ) rethrows -> RulesDecision {
    while true {
      switch step(service: service, input, known: known) {
      case .decided(let decision): return decision
      case .needs(let lookups):
        try known.add(lookups, reading: read)
      }
    }
  }
}
