/// The rules for Core's kernel: it can be read on its own, so it uses no name that a feature folder beside it declares, and its
/// length is limited.
///
/// Features attach through the hooks of `Features`. `Tools/check-features` verifies that the kernel builds without each feature;
/// this check names the offending identifier and its position.
struct KernelRules {
  /// The maximum number of lines of code in the kernel, without blank lines and comments.
  static let lineLimit = 3_500

  /// The folder that contains the kernel and the features.
  private static let root = "Core/Components/Sources/"
  /// The folders that the kernel depends on. It may use the names they declare.
  private static let foundations: Set<Substring> = ["Concurrency", "SharedInstances", "Time"]

  /// The files of the kernel.
  private var kernel: [SourceFile] = []
  /// The feature folders by the names that they declare.
  private var features: [Substring: String] = [:]
  /// The names declared by the kernel and its foundations.
  private var known: Set<Substring> = []

  /// Adds a file. Files outside Core/Components are ignored.
  mutating func add(_ source: SourceFile) {
    guard source.path.hasPrefix(Self.root) else { return }
    let folder = source.path.dropFirst(Self.root.count).prefix { $0 != "/" }
    if folder == "Kernel" {
      kernel.append(source)
      known.formUnion(Declarations.all(source.code))
    } else if Self.foundations.contains(folder) {
      known.formUnion(Declarations.all(source.code))
    } else {
      for name in Declarations.visible(source.code) { features[name] = String(folder) }
    }
  }

  /// The violations. Complete once all files have been added.
  var findings: [Finding] {
    let names = features.filter { !known.contains($0.key) }
    let named = kernel.flatMap { source in
      source.code.matches(of: /\b[A-Za-z_]\w*/.wordBoundaryKind(.simple)).compactMap { match -> Finding? in
        guard let feature = names[match.0] else { return nil }
        return source.finding(
          at: match.range.lowerBound,
          "the kernel names \(match.0), which the feature \(feature) declares; declare a hook in Features")
      }
    }
    let lines = kernel.reduce(0) { $0 + $1.codeLineCount }
    guard lines > Self.lineLimit else { return named }
    return named + [
      Finding(
        path: Self.root + "Kernel", line: 1,
        message: "the kernel has \(lines) lines of code; it has \(Self.lineLimit) at most")
    ]
  }
}

/// Extracts the names that a file declares, by regular expressions.
private enum Declarations {
  /// Returns all declared names, including parameters and local variables.
  static func all(_ code: String) -> Set<Substring> {
    let declared = code.matches(of: declaration).map { $0.2 }
    let parameters = code.matches(of: /(\w+)(?:[ \t]+(\w+))?\s*:/).flatMap {
      [$0.1] + ($0.2.map { [$0] } ?? [])
    }
    let closures = code.matches(of: /[({]\s*((?:\w+\s*,\s*)*\w+)\)?(?:\s+throws)?(?:\s*->[^\n{]*)?\s+in\b/)
      .flatMap {
        $0.1.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
      }
    return Set(declared + parameters + closures + ["some", "any", "self", "init"])
  }

  /// Returns the names that other files can use: types, and members of types and extensions, unless they are private. Functions of
  /// `Features` are not included: they are hooks, which the kernel declares.
  static func visible(_ code: String) -> Set<Substring> {
    var names: Set<Substring> = []
    var depth = 0
    var hiddenAbove: Int?
    for line in code.split(whereSeparator: \.isNewline) {
      if depth <= 1, hiddenAbove == nil {
        let isPrivate = line.contains(/\b(private|fileprivate)\b/)
        if depth == 0, isPrivate || line.contains(/^extension Features\b/) { hiddenAbove = depth }
        if !isPrivate, hiddenAbove == nil, let match = line.firstMatch(of: declaration) {
          names.insert(match.2)
        }
      }
      depth += line.count { $0 == "{" } - line.count { $0 == "}" }
      if let hidden = hiddenAbove, depth <= hidden, line.contains("}") { hiddenAbove = nil }
    }
    return names
  }

  /// Matches a keyword and the declared name.
  private static var declaration: Regex<(Substring, Substring, Substring)> {
    /\b(struct|class|enum|actor|protocol|typealias|func|var|let|case)\s+(\w+)/
  }
}
