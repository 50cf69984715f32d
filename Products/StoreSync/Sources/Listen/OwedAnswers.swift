/// The responses that the server owes to the requests of a channel, for each target in the order of its
/// requests.
struct OwedAnswers {
  /// A response that the server owes.
  enum Answer {
    /// To an addition.
    case added
    /// To a removal that the listener requested.
    case removed
    /// To a removal of the stream itself.
    case replaced
  }

  private var answers: [Int: [Answer]] = [:]

  /// Whether the server owes nothing.
  var isEmpty: Bool { answers.isEmpty }

  /// The targets whose removal the listener requested, once for each such answer, in ascending order of their
  /// IDs.
  var removals: [Int] {
    answers.flatMap { id, owed in owed.filter { $0 == .removed }.map { _ in id } }.sorted()
  }

  /// Adds an answer.
  mutating func expect(_ answer: Answer, of target: Int) { answers[target, default: []].append(answer) }

  /// Returns the next answer of a target; `nil` if the server owes none.
  func next(of target: Int) -> Answer? { answers[target]?.first }

  /// Whether the server owes an answer to a removal, before which its events are those of an earlier target
  /// of the same ID.
  func includeRemoval(of target: Int) -> Bool { answers[target]?.contains { $0 != .added } ?? false }

  /// Removes the next answer of a target, and returns it; `nil` if the server owes none.
  mutating func take(of target: Int) -> Answer? {
    guard var owed = answers[target], !owed.isEmpty else { return nil }
    let answer = owed.removeFirst()
    answers[target] = owed.isEmpty ? nil : owed
    return answer
  }
}
