/// Counts the values that the expressions of a program have had, during one or more evaluations.
///
/// One thread uses it at a time.
package final class CoverageRecorder {
  /// A value, or the reason why there was none, and how often it was found.
  package struct Entry: Sendable {
    /// The value or the reason.
    package var result: Result<RulesValue, EvaluationError>
    /// How often.
    package var count: Int
  }

  /// The values by the numbers of the expressions.
  package private(set) var entries: [Int: [Entry]] = [:]

  /// The most different values that are kept for an expression. Further ones are counted with the last one.
  package static let valueLimit = 20

  /// Creates an empty recorder.
  package init() {}

  /// Counts a value of an expression.
  func record(_ result: Result<RulesValue, EvaluationError>, of node: Int) {
    // What will be evaluated again isn't a value.
    if case .failure(let error) = result, error.isPending { return }
    Self.add(result, 1, to: &entries[node, default: []])
  }

  /// Counts a value among others.
  static func add(_ result: Result<RulesValue, EvaluationError>, _ count: Int, to known: inout [Entry]) {
    let index = known.firstIndex { areEqual($0.result, result) }
    if let index {
      known[index].count += count
    } else if known.count < valueLimit {
      known.append(Entry(result: result, count: count))
    } else {
      known[known.count - 1].count += count
    }
  }

  private static func areEqual(
    _ left: Result<RulesValue, EvaluationError>, _ right: Result<RulesValue, EvaluationError>
  ) -> Bool {
    switch (left, right) {
    case (.success(let left), .success(let right)): left.isStrictlyEqual(to: right)
    case (.failure(let left), .failure(let right)): left.message == right.message
    default: false
    }
  }
}
