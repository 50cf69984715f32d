// Performs the steps that its arguments name, in their order, and prints the results.
import Foundation
import SharedCore

/// Receives its payments from a plugin that may be loaded at any time.
final class Checkout: Sendable {
  let payments: Deferred<any Payments>
  let receipts: Provider<[any Receipt]>
  let provider: Provider<(any Payments)?>

  init(
    payments: Deferred<any Payments>, receipts: Provider<[any Receipt]>, provider: Provider<(any Payments)?>
  ) {
    self.payments = payments
    self.receipts = receipts
    self.provider = provider
  }
}

/// Shows a screen if there is one.
struct Display {
  let screen: Deferred<any Screen>
}

struct OwnLedger: Ledger {
  let owner = "host"
}

enum CheckoutLibrary: Library {
  static let name = "checkout"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component((any Ledger).self) { _ in OwnLedger() }
    Component(
      Checkout.self, needs: .deferred((any Payments).self), .allProvider((any Receipt).self),
      .optionalProvider((any Payments).self)
    ) { _, payments, receipts, provider in
      Checkout(payments: payments, receipts: receipts, provider: provider)
    }
    Component(Display.self, needs: .deferred((any Screen).self)) { _, screen in Display(screen: screen) }
  }

  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(CheckoutLibrary.self) }
}

/// Prints a line immediately, whatever standard output is.
func say(_ words: String...) {
  FileHandle.standardOutput.write(Data((words.joined(separator: " ") + "\n").utf8))
}

/// Loads a library for the rest of the process.
func load(_ path: String) {
  guard dlopen(path, RTLD_NOW | RTLD_LOCAL) == nil else { return }
  fatalError("\(path) can't be loaded: \(dlerror().map { String(cString: $0) } ?? "")")
}

/// Calls a function of a loaded library.
func call(_ symbol: String, in path: String) {
  guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL), let function = dlsym(library, symbol) else {
    fatalError("\(symbol) isn't in \(path)")
  }
  unsafeBitCast(function, to: (@convention(c) () -> Void).self)()
}

func configure(_ name: String, only libraries: [String]? = nil, listed: [any Library.Type]? = nil) throws {
  let options = AppOptions(projectID: "late", data: .memory, libraries: libraries)
  try App.configure(name: name, options: options, libraries: listed)
}

let (deliveries, delivered) = AsyncStream<String>.makeStream()

for step in CommandLine.arguments.dropFirst() {
  let parts = step.split(separator: "=", maxSplits: 1).map(String.init)
  let value = parts.count > 1 ? parts[1] : ""
  switch parts[0] {
  case "configure":
    try configure(value)
  case "configure-filtered":
    try configure(value, only: ["checkout"])
  case "configure-listed":
    try configure(value, listed: [CheckoutLibrary.self])
  case "load":
    load(value)
  case "graph":
    say("graph:", try app(value).graph.libraries.map(\.name).joined(separator: " "))
  case "payments":
    say("payments:", try app(value).resolveIfPresent((any Payments).self)?.provider ?? "none")
  case "must-have-payments":
    say("payments:", try app(value).resolve((any Payments).self).provider)
  case "checkout":
    let checkout = try app(value).resolve(Checkout.self)
    let deferred = try checkout.payments.get()?.provider ?? "none"
    let provider = try checkout.provider.get()?.provider ?? "none"
    let receipts = try checkout.receipts.get().map(\.text).sorted()
    say("checkout: deferred \(deferred), provider \(provider), receipts \(receipts)")
  case "wait-for-payments":
    try app(value).resolve(Checkout.self).payments.whenAvailable { delivered.yield($0.provider) }
  case "wait-for-a-screen":
    try app(value).resolve(Display.self).screen.whenAvailable { delivered.yield($0.title) }
  case "delivered":
    for await provider in deliveries {
      say("delivered:", provider)
      break
    }
  case "adopt":
    do {
      try app(value).adoptLoadedLibraries()
      say("adopted")
    } catch let error as ConfigurationError {
      say("refused:", error.problems.map(\.code.rawValue).joined(separator: " "))
    }
  case "ledger":
    say("ledger:", try app(value).resolve((any Ledger).self).owner)
  case "images":
    for path in LibraryRegistry.coreImages { say("core:", path) }
  case "vendor-report":
    call("vendor_report", in: value)
  case "vendor-configure":
    call("vendor_configure", in: value)
  case "end":
    say("end")
    while true { pause() }  // From now on, the host makes no requests.
  default:
    fatalError("unknown step \(step)")
  }
}

func app(_ name: String) throws -> App {
  guard let app = App.app(name: name) else { fatalError("no app \(name)") }
  return app
}
