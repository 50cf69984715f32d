import TenonValues

/// The result of an operation that changes documents, from which the views are updated without reading the
/// documents again.
package struct LocalOutcome<Result> {
  /// The result of the operation itself.
  package let result: Result
  /// The changed documents in their current state, `nil` for deleted ones; empty if changes aren't tracked.
  /// Documents that garbage collection deleted at the end of the same transaction aren't among them; no view
  /// shows those.
  let changes: [ResourcePath: StoredDocument?]
}
