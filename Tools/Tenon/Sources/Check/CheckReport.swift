import TenonCore

/// What was found in one or several programs.
struct CheckReport {
  /// Finds the files of declarations.
  let sources: SourceIndex
  /// The names of the programs, in the order in which they were checked.
  private var programs: [String] = []
  /// What was found, without duplicates, each with the programs in which it was found.
  private var found: [(finding: Finding, programs: [String])] = []

  init(sources: SourceIndex) { self.sources = sources }

  /// Adds the result of a program.
  mutating func add(_ outcome: Program.Outcome, of program: String) {
    programs.append(program)
    switch outcome {
    case .inspected(let inspection):
      for problem in inspection.problems { add(Finding(problem, in: sources), program) }
    case .failed(let reason):
      add(Finding(rule: Self.failure, message: "\(program) \(reason)."), program)
    }
  }

  private mutating func add(_ finding: Finding, _ program: String) {
    if let known = found.firstIndex(where: { $0.finding == finding }) {
      found[known].programs.append(program)
    } else {
      found.append((finding, [program]))
    }
  }

  /// The rule of a program that couldn't be inspected.
  static let failure = "not-inspected"

  /// What was found. If several programs were checked, each message ends with those that it concerns.
  var findings: [Finding] {
    found.map { finding, concerned in
      guard programs.count > 1, finding.rule != Self.failure else { return finding }
      var finding = finding
      finding.message += " (\(concerned.joined(separator: ", ")))"
      return finding
    }
  }

  /// The last line of the text, for example `1 executable, no problems`.
  var summary: String {
    let executables = programs.count == 1 ? "1 executable" : "\(programs.count) executables"
    let problems =
      found.isEmpty ? "no problems" : found.count == 1 ? "1 problem" : "\(found.count) problems"
    return "\(executables), \(problems)"
  }
}

extension Finding {
  /// Describes a problem of a program.
  init(_ problem: Inspection.Problem, in sources: SourceIndex) {
    self.init(
      rule: problem.number, message: problem.message,
      location: problem.file.map {
        Location(path: sources.path(of: $0, line: problem.line), line: problem.line)
      },
      repairs: problem.repairs)
  }
}
