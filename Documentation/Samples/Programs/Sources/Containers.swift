import Dispatch
// sample: container, scopes
import TenonCore

// sample: end
// sample: container
protocol Clock: Sendable { var hour: Int { get } }

struct SystemClock: Clock { let hour = 9 }

final class Greeter: Sendable {
  let clock: any Clock
  init(clock: any Clock) { self.clock = clock }
  func greeting() -> String { clock.hour < 12 ? "Good morning" : "Hello" }
}

// sample: end
func container() async throws {
  // sample: container
  let container = try ComponentContainer {
    Component((any Clock).self) { _ in SystemClock() }
    Component(Greeter.self, needs: .required((any Clock).self)) { _, clock in Greeter(clock: clock) }
  }
  print(try container.resolve(Greeter.self).greeting())
  // sample: end
}

// sample: scopes
final class Session: Sendable {}

// sample: end
func scopes() async throws {
  // sample: scopes
  let container = try ComponentContainer {
    Component(Session.self) { _ in Session() }  // one instance, created when it is first needed
    Component(Session.self) { _ in Session() }.named("new").scope(.unique)
  }
  print(try container.resolve(Session.self) === container.resolve(Session.self))
  print(try container.resolve(Session.self, named: "new") === container.resolve(Session.self, named: "new"))
  // sample: end
}

// sample: escape
final class Refresher: Sendable {
  private let queue = DispatchQueue(label: "refresher")

  func refreshLater() {
    withEscapedOverrides { overrides in
      queue.async {
        overrides.yield { self.refresh() }
      }
    }
  }

  func download() {
    withEscapedOverrides { overrides in
      _ = Task.detached {
        await overrides.yield { await self.fetch() }
      }
    }
  }

  private func refresh() {}
  private func fetch() async {}
}
// sample: end
