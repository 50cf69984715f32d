/// Which functions of a rules file call which.
struct CallGraph {
  /// A function.
  struct Function {
    let name: String
    let place: SourcePlace
    /// The called functions, by their numbers, with the place of the first call.
    var calls: [(number: Int, place: SourcePlace)] = []
  }

  /// The functions, by their numbers.
  private(set) var functions: [Function] = []
  /// Calls outside of functions.
  private var roots: [(number: Int, place: SourcePlace)] = []

  /// Adds a function and returns its number.
  mutating func add(_ name: String, _ place: SourcePlace) -> Int {
    functions.append(Function(name: name, place: place))
    return functions.count - 1
  }

  /// Adds a call, from a function or from a condition.
  mutating func call(_ number: Int, from caller: Int?, at place: SourcePlace) {
    guard let caller else {
      if !roots.contains(where: { $0.number == number }) { roots.append((number, place)) }
      return
    }
    if !functions[caller].calls.contains(where: { $0.number == number }) {
      functions[caller].calls.append((number, place))
    }
  }

  /// What is wrong: functions that call themselves, directly or through others, and calls that are nested too
  /// deeply.
  func problems() -> [(place: SourcePlace, message: String, code: RulesProblem.Code)] {
    var search = Search(functions: functions)
    for number in functions.indices { search.visit(number) }
    guard search.problems.isEmpty else { return search.problems }
    return roots.filter { search.heights[$0.number] > EvaluationLimits.calls }.map { root in
      (
        root.place,
        "Maximum allowed call depth of \(EvaluationLimits.calls) is reached for \(functions[root.number].name).",
        .limit
      )
    }
  }

  /// A depth-first search without recursion, since a file may declare any number of functions.
  private struct Search {
    let functions: [Function]
    /// The longest chain of calls that begins with each function; 0 until it is known.
    var heights: [Int]
    var problems: [(place: SourcePlace, message: String, code: RulesProblem.Code)] = []

    init(functions: [Function]) {
      self.functions = functions
      heights = Array(repeating: 0, count: functions.count)
    }

    mutating func visit(_ start: Int) {
      guard heights[start] == 0 else { return }
      var stack = [(number: start, next: 0)]
      var active: Set = [start]
      while let (number, next) = stack.last {
        let calls = functions[number].calls
        guard next < calls.count else {
          heights[number] = 1 + (calls.map { heights[$0.number] }.max() ?? 0)
          active.remove(number)
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        let callee = calls[next].number
        if active.contains(callee) {
          report(stack.map(\.number).drop { $0 != callee })
        } else if heights[callee] == 0 {
          active.insert(callee)
          stack.append((callee, 0))
        }
      }
    }

    private mutating func report(_ cycle: ArraySlice<Int>) {
      guard let first = cycle.min() else { return }
      let names = cycle.map { functions[$0].name }.joined(separator: ",")
      problems.append(
        (
          functions[first].place,
          cycle.count == 1
            ? "Recursive call is not allowed." : "Detected a call cycle between [\(names)] functions.",
          .declaration
        ))
    }
  }
}
