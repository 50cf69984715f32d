import Foundation

/// The values of the expressions of a file of rules, here and in the emulator, and which of their differences
/// `Differences.md` explains.
struct JudgedComparison {
  private struct Expression {
    let text: String
    /// The values here.
    let own: Set<String>
    /// Those of the emulator.
    let theirs: Set<String>

    var isListed: Bool { own.allSatisfy { JudgedComparison.isListed($0, text, in: theirs) } }
    /// Whether it calls one of the functions of generated rules.
    var callsFunction: Bool { text.contains(/\b[fh]\(/) }
    var hasOperand: Bool { text.contains("&&") || text.contains("||") }
  }

  private static let pending: Set<String> = [RulesJudge.pending]
  private static let failed: Set<String> = ["error"]
  private static let verdicts: Set<String> = ["true", "false"]

  private let source: String
  private let expressions: [Expression]
  /// Expressions whose values differ as the table says. So may those of expressions around them.
  private let listed: [String]
  /// Whether an expression fails here, after which the emulator may confuse others.
  private let hasFailure: Bool
  /// Whether a variable of a function fails here, although the function may not need it.
  private let hasFailingVariable: Bool
  /// Whether the emulator has confused the value of a function with a failure.
  private let confusesFunctions: Bool
  private let endsPending: Bool
  /// Whether the rules read documents, so that the emulator evaluates twice.
  private let readsDocuments: Bool
  /// Whether a variable of a function reads documents.
  private let readsInVariable: Bool

  /// - Parameters:
  ///   - source: the rules.
  ///   - values: the values here, by the places of the expressions.
  ///   - judged: those of the emulator.
  init(source: String, values: [String: Set<String>], judged: [String: Set<String>]) {
    self.source = source
    expressions = values.sorted { $0.key < $1.key }.map { key, own in
      Expression(text: Self.text(of: key, in: source), own: own, theirs: judged[key] ?? [])
    }.filter { !["", "[", "{"].contains($0.text) }
    listed = expressions.filter { !$0.own.isSubset(of: $0.theirs) && $0.isListed }.map(\.text)
    hasFailure = values.values.contains(Self.failed)
    hasFailingVariable = expressions.contains { $0.text.hasPrefix("let ") && $0.own.contains("error") }
    confusesFunctions =
      hasFailure
      && expressions.contains { $0.own != Self.failed && $0.theirs == Self.failed && $0.callsFunction }
    endsPending = judged.values.contains { $0.contains(RulesJudge.pending) }
    readsDocuments = ["get(/", "exists(/", "After(/"].contains { source.contains($0) }
    readsInVariable = source.contains(/let [a-z] = [^;]*(get|exists|After)\(\//)
  }

  /// The text of an expression.
  private static func text(of key: String, in source: String) -> String {
    let bounds = key.split(separator: "-").compactMap { Int($0) }
    guard bounds.count == 2, bounds[0] < bounds[1] else { return "" }
    return source.unicodeScalars.dropFirst(bounds[0]).prefix(bounds[1] - bounds[0]).map(String.init).joined()
  }

  /// Whether another verdict of the emulator follows from a value that is listed, or from one of its mistakes,
  /// which begin with an expression that fails in its middle.
  ///
  /// Within a branch of `?:`, the emulator then doesn't evaluate again the conditions that need documents, so
  /// a condition that is true here is still pending there. A condition with a function, or with `&&` or `||`,
  /// may have another value there, which may be the one that allows the request.
  func explainsVerdict(_ verdict: Bool) -> Bool {
    if !listed.isEmpty { return true }
    return expressions.contains { expression in
      let theirs = expression.theirs
      if verdict {
        return expression.own == Self.failed && theirs.contains("true") && expression.callsFunction
      }
      guard expression.own == ["true"], !theirs.isEmpty, !theirs.contains("true") else { return false }
      if theirs == Self.pending { return source.contains(" ? ") }
      return hasFailure && (expression.callsFunction || isConfused(expression))
    }
  }

  /// The differences that nothing explains.
  ///
  /// - Parameter isAllowed: whether the request is allowed here.
  func differences(isAllowed: Bool) -> [String] {
    expressions.filter { expression in
      let (own, theirs) = (expression.own, expression.theirs)
      // Google evaluates further statements that don't matter after one has allowed the request, and the
      // other way round.
      if theirs.isEmpty, isAllowed || endsPending || confusesFunctions { return false }
      return !own.isSubset(of: theirs) && !isExplained(expression)
        && !listed.contains { expression.text.contains($0) }
    }.map { "\($0.text)\n    here \($0.own.sorted())\n    there \($0.theirs.sorted())" }
  }

  /// Whether a difference between the values is known not to matter.
  ///
  /// The emulator first evaluates without the documents that it must read. If one operand of `&&` or `||`
  /// fails then, or decides, it may not evaluate again, so it shows the failure, or nothing but "pending".
  ///
  /// After an expression that fails in its middle, the emulator confuses the values of functions: with what
  /// has remained of the failed one, and `f(1, 2) == 1 + 'a'` is false.
  private func isExplained(_ expression: Expression) -> Bool {
    let (own, theirs, text) = (expression.own, expression.theirs, expression.text)
    let isVariable = ["a", "b", "c", "p", "q"].contains(text)
    if expression.callsFunction || isVariable, own.contains("error") { return true }
    if isVariable, own.count > 1 { return true }
    // The lists that the functions return, and their variables, of calls after such an expression.
    let isOfFunction = text.hasPrefix("[a, b") || text.hasPrefix("[p, q") || text.hasPrefix("let ")
    if isOfFunction, own.count > 1, theirs.isSubset(of: own) { return true }
    // The failure of the first evaluation of a function that it doesn't evaluate again.
    let concernsFunction = expression.callsFunction || text == "c" || text == "q"
    if readsDocuments, theirs == Self.failed, isOfFunction || concernsFunction { return true }
    if confusesFunctions, theirs == Self.failed, expression.callsFunction { return true }
    // The second evaluation of a function goes on with what has remained of the first.
    let goesOn = hasFailingVariable || readsInVariable && theirs.contains(RulesJudge.pending)
    if goesOn, expression.callsFunction, own.isSubset(of: Self.verdicts) { return true }
    if expression.isListed || isConfused(expression) { return true }
    if theirs.contains(RulesJudge.pending) {
      return theirs.isSubset(of: [RulesJudge.pending, "error"]) || own.subtracting(theirs) == Self.failed
        || own.count > 1
    }
    return theirs == Self.failed && expression.hasOperand
  }

  /// Whether `&&` or `||` has a value there that is neither true nor false.
  private func isConfused(_ expression: Expression) -> Bool {
    hasFailure && expression.hasOperand && expression.own.isSubset(of: Self.verdicts)
      && !expression.theirs.subtracting(Self.verdicts).subtracting(Self.failed).subtracting(Self.pending)
        .isEmpty
  }

  /// Whether a value differs from one of the emulator's only as `Differences.md` says: half of a surrogate
  /// pair, the order of the values of a map, the digits of a number as text, or the time or date of a moment
  /// before 1970, which is a day less or more there.
  private static func isListed(_ own: String, _ text: String, in theirs: Set<String>) -> Bool {
    if theirs.contains(own) { return true }
    if own.contains("\u{FFFD}") { return theirs.contains(own.replacing("\u{FFFD}", with: "?")) }
    if text.contains(".values") { return theirs.contains { $0.sorted() == own.sorted() } }
    if own.contains(numberText) { return theirs.contains { withEqualNumbers($0) == withEqualNumbers(own) } }
    if text.hasSuffix(".date"), let day = day(own) {
      return theirs.contains { Self.day($0) == day + 86_400 }
    }
    guard text.contains(".time"), let seconds = seconds(own) else { return false }
    return theirs.compactMap(Self.seconds).contains { abs(seconds - 86_400 - $0) < 0.001 }
  }

  /// A number with an exponent in a text.
  private static var numberText: Regex<Substring> { /-?[0-9.]+E-?[0-9]+/ }

  /// Replaces numbers in texts by those that Swift writes.
  private static func withEqualNumbers(_ value: String) -> String {
    value.replacing(numberText) { match in Double(match.output).map { "\($0)" } ?? String(match.output) }
  }

  /// The seconds since 1970 of a day in the form of ``JudgedValue``.
  private static func day(_ value: String) -> TimeInterval? {
    guard value.hasPrefix("t") else { return nil }
    return try? Date(String(value.dropFirst()), strategy: .iso8601).timeIntervalSince1970
  }

  /// The seconds of a duration in the form of ``JudgedValue``.
  private static func seconds(_ value: String) -> Double? {
    guard value.hasPrefix("d"), value.hasSuffix("s") else { return nil }
    return Double(value.dropFirst().dropLast())
  }
}
