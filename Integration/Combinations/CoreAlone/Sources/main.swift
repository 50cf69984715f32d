// Links Core only, and reports the number of allocations of a warm `resolve` (R7).
import AllocationCounter
import IntegrationReport
import TenonCore

protocol Greeter: Sendable {
  func greet() -> Int
}

final class PoliteGreeter: Greeter {
  func greet() -> Int { 1 }
}

enum GreetingLibrary: Library {
  static let name = "greeting"
  static let version = SemanticVersion(1, 0, 0)
  static var components: [AnyComponent] {
    Component((any Greeter).self) { _ in PoliteGreeter() }
  }

  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(GreetingLibrary.self) }
}

let app = try Launch.app(AppOptions(projectID: "demo-core", data: .memory))
let coldBefore = allocation_count()
var greetings = try app.resolve((any Greeter).self).greet()
let coldAfter = allocation_count()

for _ in 0..<100_000 { greetings += try app.resolve((any Greeter).self).greet() }
let warmAfter = allocation_count()

let report = IntegrationReport(
  graph: app.graph,
  features: [
    .init("A library of the program", greetings == 100_001 ? "registers without an import" : "is missing"),
    .init("Resolving a component again", "allocates \(warmAfter - coldAfter) times in 100,000 calls"),
  ],
  facts: [
    "greetings": "\(greetings)", "coldAllocations": "\(coldAfter - coldBefore)",
    "warmAllocations": "\(warmAfter - coldAfter)",
  ]
)
try report.print()
await app.delete()
