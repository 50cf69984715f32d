// sample: first, app
import TenonCore

// sample: end
func smallestProgram() async throws {
  // sample: first
  struct Greeter: Sendable {
    let name: String
    func greet() { print("Hello, \(name)!") }
  }

  let container = try ComponentContainer {
    Component(String.self) { _ in "world" }
    Component(from: Greeter.init(name:))
  }
  try container.resolve(Greeter.self).greet()
  // sample: end
}

func smallestApp() async throws {
  // sample: app
  final class Counter: Sendable {
    let start: Int
    init(start: Int) { self.start = start }
  }
  struct Screen: Sendable {
    @Injected var counter: Counter
    func show() { print("from \(counter.start)") }
  }

  try App.configure(libraries: []) {
    Component(Int.self) { _ in 3 }
    Component(from: Counter.init(start:))
  }
  Screen().show()
  // sample: end
}
