/// Finds the matches of a program in a text, one after the other: the leftmost one, and of those that start
/// there the one that the pattern prefers.
struct PatternFinder {
  /// The text.
  let text: [Unicode.Scalar]
  private let program: PatternProgram
  /// Two places for each group, and those of the whole match.
  private let slots: Int
  private var budget: Int
  private var from = 0
  private var pending: [Task] = []
  /// The places that the instruction which is being added has seen.
  private var saved: [Int]

  /// A match.
  struct Match {
    /// Where it starts.
    var start: Int
    /// Where it ends.
    var end: Int
    /// The places of the groups, with -1 for a group that isn't part of the match.
    var saved: [Int]

    /// Returns the range of a group; `nil` if it isn't part of the match.
    func range(of group: Int) -> Range<Int>? {
      if group == 0 { return start..<end }
      let (start, end) = (saved[2 * group], saved[2 * group + 1])
      return start < 0 || end < start ? nil : start..<end
    }
  }

  private enum Task {
    case visit(Int)
    case restore(slot: Int, Int)
  }

  /// Creates a finder.
  ///
  /// - Parameters:
  ///   - program: the program.
  ///   - text: the text.
  ///   - groups: whether the places of groups are wanted.
  ///   - maximumSteps: the steps that all matches together may take.
  init(
    _ program: PatternProgram, _ text: String, groups: Bool, maximumSteps: Int = Pattern.maximumSteps
  ) {
    self.program = program
    budget = maximumSteps
    self.text = Array(text.unicodeScalars)
    slots = groups ? 2 * program.groupCount + 2 : 2
    saved = Array(repeating: -1, count: slots)
  }

  /// Returns the next match. After an empty match, the search continues one character later.
  mutating func next() throws(PatternError) -> Match? {
    guard from <= text.count, let match = try find() else {
      from = text.count + 1
      return nil
    }
    from = match.start == match.end ? match.end + 1 : match.end
    return match
  }

  private mutating func find() throws(PatternError) -> Match? {
    let size = program.code.count + 1
    guard size <= Self.maximumPlaces / slots else { throw .tooExpensive }
    var current = Threads(size: size, slots: slots)
    var next = current
    var match: Match?
    for offset in from...text.count {
      if match == nil {
        for slot in saved.indices { saved[slot] = -1 }
        saved[0] = offset
        try add(0, at: offset, to: &current)
      }
      if match != nil, current.threads.list.isEmpty { break }
      next.threads.removeAll()
      for index in current.threads.list {
        if index == program.code.count {
          let places = Array(current.places[index * slots..<(index + 1) * slots])
          match = Match(start: places[0], end: offset, saved: places)
          break
        }
        if offset < text.count, program.takes(text[offset], at: index) {
          for slot in 0..<slots { saved[slot] = current.places[index * slots + slot] }
          try add(index + 1, at: offset + 1, to: &next)
        }
      }
      swap(&current, &next)
    }
    return match
  }

  /// Adds an instruction and those that are reached from it without taking a character, with the places that
  /// were noted on the way.
  private mutating func add(_ index: Int, at offset: Int, to threads: inout Threads) throws(PatternError) {
    pending.append(.visit(index))
    while let task = pending.popLast() {
      guard case .visit(let index) = task else {
        if case .restore(let slot, let place) = task { saved[slot] = place }
        continue
      }
      guard threads.threads.visit(index) else { continue }
      budget -= 1
      guard index < program.code.count else {
        keep(index, in: &threads)
        continue
      }
      switch program.code[index] {
      case .jump(let by): pending.append(.visit(index + by))
      case .split(let first, let second):
        pending.append(.visit(index + second))
        pending.append(.visit(index + first))
      case .save(let slot):
        if slot < slots {
          pending.append(.restore(slot: slot, saved[slot]))
          saved[slot] = offset
        }
        pending.append(.visit(index + 1))
      case .assert(let assertion):
        if assertion.holds(at: offset, of: text) { pending.append(.visit(index + 1)) }
      case .scalar, .characterClass, .any, .anyButLineFeed: keep(index, in: &threads)
      }
    }
    if budget < 0 { throw .tooExpensive }
  }

  private mutating func keep(_ index: Int, in threads: inout Threads) {
    threads.threads.list.append(index)
    for slot in 0..<slots { threads.places[index * slots + slot] = saved[slot] }
    budget -= slots
  }

  /// The number of places that a search may note, which bounds its memory.
  private static let maximumPlaces = 4_000_000

  /// The instructions that a match may have reached, with the places that each has noted.
  private struct Threads {
    var threads: PatternThreads
    var places: [Int]

    init(size: Int, slots: Int) {
      threads = PatternThreads(size: size)
      places = Array(repeating: -1, count: size * slots)
    }
  }
}
