/// Decides whether a program matches a whole text.
struct PatternMatcher {
  private let program: PatternProgram
  private let text: [Unicode.Scalar]
  private var budget: Int
  /// The instructions that are still to be followed at a place.
  private var pending: [Int] = []

  init(_ program: PatternProgram, _ text: String, maximumSteps: Int = Pattern.maximumSteps) {
    self.program = program
    budget = maximumSteps
    self.text = Array(text.unicodeScalars)
  }

  mutating func matchesAll() throws(PatternError) -> Bool {
    var current = PatternThreads(size: program.code.count + 1)
    var next = current
    try add(0, at: 0, to: &current)
    for (offset, scalar) in text.enumerated() {
      if current.list.isEmpty { return false }
      next.removeAll()
      for index in current.list where index < program.code.count && program.takes(scalar, at: index) {
        try add(index + 1, at: offset + 1, to: &next)
      }
      swap(&current, &next)
    }
    return current.list.contains(program.code.count)
  }

  /// Adds an instruction and those that are reached from it without taking a character.
  private mutating func add(
    _ index: Int, at offset: Int, to threads: inout PatternThreads
  ) throws(PatternError) {
    pending.append(index)
    while let index = pending.popLast() {
      guard threads.visit(index) else { continue }
      budget -= 1
      guard index < program.code.count else {
        threads.list.append(index)
        continue
      }
      switch program.code[index] {
      case .jump(let by): pending.append(index + by)
      case .split(let first, let second):
        pending.append(index + second)
        pending.append(index + first)
      case .save: pending.append(index + 1)
      case .assert(let assertion):
        if assertion.holds(at: offset, of: text) { pending.append(index + 1) }
      case .scalar, .characterClass, .any, .anyButLineFeed: threads.list.append(index)
      }
    }
    if budget < 0 { throw .tooExpensive }
  }
}

/// The instructions that a match may have reached at a place, the preferred ones first.
struct PatternThreads {
  /// The instructions that take a character, and the end of the program.
  var list: [Int] = []
  /// For each instruction, the round in which it was visited.
  private var visited: [UInt32]
  private var round: UInt32 = 1

  init(size: Int) { visited = Array(repeating: 0, count: size) }

  /// Notes that an instruction was visited, and returns whether that is new.
  mutating func visit(_ index: Int) -> Bool {
    if visited[index] == round { return false }
    visited[index] = round
    return true
  }

  /// Removes all instructions.
  mutating func removeAll() {
    list.removeAll(keepingCapacity: true)
    if round == .max {
      visited = Array(repeating: 0, count: visited.count)
      round = 0
    }
    round += 1
  }
}

extension PatternError {
  /// The text needs too many steps.
  static let tooExpensive = PatternError(
    .tooExpensive,
    "The regular expression needs more than \(Pattern.maximumSteps) steps for this text. "
      + "Use smaller counts of repetitions, or check the size of the text first.")
}
