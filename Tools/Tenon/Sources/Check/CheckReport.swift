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
      for problem in inspection.problems { add(Finding(problem, .error, in: sources), program) }
      for warning in inspection.warnings { add(Finding(warning, .warning, in: sources), program) }
      for requirement in inspection.requirements { add(Finding(requirement), program) }
      if inspection.problems.isEmpty, inspection.graph.components.isEmpty { add(.nothingChecked, program) }
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
    func count(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
    let problems = found.count { $0.finding.severity == .error }
    let warnings = found.count { $0.finding.severity == .warning }
    var parts = [count(programs.count, "executable")]
    if problems > 0 { parts.append(count(problems, "problem")) }
    if warnings > 0 { parts.append(count(warnings, "warning")) }
    return (parts.count == 1 ? parts + ["no problems"] : parts).joined(separator: ", ")
  }
}

extension Finding {
  /// Describes a problem of a program.
  init(_ problem: Inspection.Problem, _ severity: Severity, in sources: SourceIndex) {
    let location = problem.file.map { file in
      let path = sources.path(of: file, line: problem.line)
      return Location(path: path, line: problem.line, column: sources.column(of: path, line: problem.line))
    }
    self.init(
      rule: problem.number, severity: severity, message: problem.message,
      location: location ?? problem.type.flatMap { sources.declaration(of: $0) }, repairs: problem.repairs)
  }

  /// Describes what a library requires of options that aren't known.
  init(_ requirement: Inspection.Requirement) {
    let options = requirement.options.joined(separator: " and ")
    self.init(
      rule: "required-options", severity: .note,
      message: "\(requirement.library) requires \(options), which wasn't checked: the options aren't known.",
      repairs: ["Name their file in TENON_CONFIG, or use --at-configure if the program passes them."])
  }

  /// A program without components isn't one without problems.
  static var nothingChecked: Finding {
    Finding(
      rule: "no-components", severity: .warning,
      message: "No library has registered components, so nothing was checked.",
      repairs: ["Use --at-configure to check the components that the program declares itself."])
  }
}
