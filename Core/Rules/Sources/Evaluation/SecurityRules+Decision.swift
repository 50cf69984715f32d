import TenonValues

/// What rules say of a request, as far as it is known.
package enum RulesStep: Sendable {
  /// The request is allowed or denied.
  case decided(RulesDecision)
  /// These documents must be read first.
  case needs([DocumentLookup])
}

/// What rules say of a request.
public struct RulesDecision: Sendable {
  /// Whether the request is allowed.
  public var isAllowed: Bool { verdict == .allowed }
  /// The verdict.
  public let verdict: Verdict
  /// Why no statement allowed the request, one reason for each statement that was asked. Empty if no
  /// statement applies to the path and the method.
  public let reasons: [Reason]

  /// Verdicts.
  public enum Verdict: String, Sendable {
    /// A statement allows the request.
    case allowed
    /// No statement allows the request.
    case denied
    /// Whether a statement allows the request depends on a document or a claim that isn't known here.
    case unknown
  }

  /// Why a statement doesn't allow a request.
  public struct Reason: Sendable, Hashable {
    /// The line of the statement, counted from 1.
    public let line: Int
    /// The line of the expression that failed, or of the condition if it is false.
    public let expressionLine: Int
    /// The column of that expression, counted from 1.
    public let expressionColumn: Int
    /// What happened, as a sentence.
    public let message: String
  }
}

extension SecurityRules {
  /// Returns what the rules say of a request, without reading documents.
  ///
  /// A request whose rules read no documents is decided immediately. Otherwise the caller reads those that
  /// are needed, adds them to `known`, and asks again. At most ``EvaluationLimits/reads`` are needed.
  ///
  /// - Parameters:
  ///   - service: the service, for example `cloud.firestore`.
  ///   - input: the request.
  ///   - known: the documents that have been read.
  ///   - recorder: records the values of expressions, if the rules were compiled for that.
  package func step(
    service: String, _ input: EvaluationInput, known: KnownDocuments, recorder: CoverageRecorder? = nil
  ) -> RulesStep {
    guard let compiled = program.services.first(where: { $0.name == service }) else {
      return .decided(RulesDecision(verdict: .denied, reasons: []))
    }
    // Version 1 is older than lists of objects.
    if service == "firebase.storage", input.method == .list, file.version < 2 {
      return .decided(RulesDecision(verdict: .denied, reasons: []))
    }
    let run = Run(input, wildcards: compiled.wildcards, documents: known, recorder: recorder)
    var walk = MatchWalk(run, program)
    for match in compiled.matches where walk.visit(match, from: 0) {
      return .decided(RulesDecision(verdict: .allowed, reasons: []))
    }
    if walk.isPending { return .needs(run.missing) }
    return .decided(RulesDecision(verdict: walk.isUnknown ? .unknown : .denied, reasons: walk.reasons))
  }
}

/// A walk through the blocks that match the path of a request.
private struct MatchWalk {
  private let run: Run
  private let program: RulesProgram
  private let segments: [RulesPath.Segment]
  private let method: UInt8
  /// The statements that didn't allow the request.
  private var failures: [(allow: CompiledAllow, error: EvaluationError?)] = []
  /// Whether a statement needs documents that must be read first.
  private(set) var isPending = false
  /// Whether a statement needs documents that aren't known.
  private(set) var isUnknown = false

  init(_ run: Run, _ program: RulesProgram) {
    self.run = run
    self.program = program
    segments = run.input.matchedPath
    method = run.input.method.bit
  }

  var reasons: [RulesDecision.Reason] {
    failures.map { allow, error in
      let place = error?.node.map { program.ranges[$0].start } ?? program.ranges[allow.id].start
      return .init(
        line: allow.place.line, expressionLine: place.line, expressionColumn: place.column,
        message: error?.message ?? "The condition is false.")
    }
  }

  /// Returns whether a statement of a block, or of one inside, allows the request.
  mutating func visit(_ match: CompiledMatch, from start: Int) -> Bool {
    visit(match, segment: 0, from: start)
  }

  private mutating func visit(_ match: CompiledMatch, segment: Int, from start: Int) -> Bool {
    var (segment, place) = (segment, start)
    while segment < match.segments.count {
      switch match.segments[segment] {
      case .text(let text):
        guard place < segments.count, case .text(let own) = segments[place], UTF8Text.areEqual(own, text)
        else {
          return false
        }
        place += 1
      case .wildcard(let index):
        guard place < segments.count else { return false }
        switch segments[place] {
        case .text(let text): run.wildcards[index] = .string(text)
        // Only a recursive wildcard matches any number of segments.
        case .variable(EvaluationInput.anySegments, _, _): return false
        case .variable: run.wildcards[index] = nil
        }
        place += 1
      case .recursive(let index, let minimum):
        return visitRecursive(match, segment: segment, index, minimum: minimum, from: place)
      }
      segment += 1
    }
    return visitInside(match, from: place)
  }

  /// Tries all lengths of a recursive wildcard. There is only one on the way to a statement, so this takes
  /// linear time.
  private mutating func visitRecursive(
    _ match: CompiledMatch, segment: Int, _ index: Int, minimum: Int, from start: Int
  ) -> Bool {
    let count = segments.count
    guard start + minimum <= count else { return false }
    // Checked: compared with the number of segments above.
    for end in (start + minimum)...count {
      // The path is created only where it may be used.
      let rest = match.segments.count - segment - 1
      guard end + rest <= count, end + rest == count || !match.matches.isEmpty else { continue }
      // Nothing can be proved of a path that isn't known.
      // Checked: compared with the number of segments above.
      let part = segments[start..<end]
      let isKnown = part.allSatisfy { if case .text = $0 { true } else { false } }
      run.wildcards[index] = isKnown ? .path(RulesPath(segments: Array(part))) : nil
      if visit(match, segment: segment + 1, from: end) { return true }
    }
    return false
  }

  private mutating func visitInside(_ match: CompiledMatch, from place: Int) -> Bool {
    if place == segments.count {
      for allow in match.allows where allow.methods & method != 0 {
        if isAllowed(allow) { return true }
      }
    }
    for inner in match.matches where visit(inner, from: place) { return true }
    return false
  }

  private mutating func isAllowed(_ allow: CompiledAllow) -> Bool {
    guard let condition = allow.condition else { return true }
    do throws(EvaluationError) {
      if try condition.boolean(run, 0, for: allow.id) { return true }
      failures.append((allow, nil))
    } catch {
      failures.append((allow, error))
      if error.isUnknown {
        if run.missing.isEmpty { isUnknown = true } else { isPending = true }
      }
    }
    return false
  }
}
