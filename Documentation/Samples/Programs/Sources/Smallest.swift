// sample: first
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
