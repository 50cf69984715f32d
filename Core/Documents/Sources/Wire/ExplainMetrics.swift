import TenonFoundation
package import TenonValues

/// Whether a query is only planned, or also run and measured (`google.firestore.v1.ExplainOptions`).
package enum ExplainOptions: Sendable, Hashable {
  /// The query isn't run, and the response has no documents.
  case plan
  /// The query is run, and the response has the result and the figures.
  case analysis

  /// Decodes the options of a request.
  static func decode(_ json: FirestoreJSON) throws(WireFailure) -> ExplainOptions {
    try json.member("analyze", FirestoreJSON.flag) ?? false ? .analysis : .plan
  }
}

/// The explanation of a query (`google.firestore.v1.ExplainMetrics`).
///
/// A query of this server reads its whole collection, so the plan names the order of the names as its only
/// index.
package struct ExplainMetrics: WireEncodable, Hashable {
  /// The figures of a query that was run.
  package struct Execution: Sendable, Hashable {
    /// The number of documents in the result.
    package var results: Int
    /// The time that the query took.
    package var duration: Duration

    /// Creates figures.
    package init(results: Int, duration: Duration) {
      self.results = results
      self.duration = duration
    }
  }

  /// Whether the query covers a group of collections.
  package var isGroup: Bool
  /// The figures; `nil` if the query wasn't run.
  package var execution: Execution?

  /// Creates an explanation.
  package init(isGroup: Bool, execution: Execution?) {
    self.isGroup = isGroup
    self.execution = execution
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.name("planSummary")
    try writer.beginObject()
    writer.name("indexesUsed")
    try writer.beginArray()
    try writer.beginObject()
    writer.member("properties", "(__name__ ASC)")
    writer.member("query_scope", isGroup ? "Collection group" : "Collection")
    writer.endObject()
    writer.endArray()
    writer.endObject()
    if let execution {
      writer.name("executionStats")
      try writer.beginObject()
      writer.name("resultsReturned")
      writer.integer(Int64(clamping: execution.results))
      writer.member("executionDuration", Self.text(execution.duration))
      writer.name("readOperations")
      writer.integer(Int64(clamping: max(execution.results, 1)))
      writer.name("debugStats")
      try writer.beginObject()
      writer.endObject()
      writer.endObject()
    }
    writer.endObject()
  }

  /// Returns a duration in the form of proto3, with six digits of the fraction.
  private static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let digits = String(attoseconds / 1_000_000_000_000)
    // Checked: not negative.
    return "\(seconds)." + String(repeating: "0", count: max(0, 6 - digits.count)) + digits + "s"
  }
}
