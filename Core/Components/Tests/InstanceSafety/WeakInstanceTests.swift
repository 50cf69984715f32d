import Dispatch
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// Instances of `.weak` components, which are read without a lock while others release them.
@Suite(.limited) struct WeakInstanceTests {
  @Test func theSameObjectIsReturnedInEveryType() throws {
    let container = try ComponentContainer {
      Component(Fault.self) { _ in Fault() }.scope(.weak).providing((any Named).self) { $0 }
      // Not a reference to the object, but to a box that holds it.
      Component((any Error).self) { _ in Fault() }.scope(.weak)
    }
    let fault = try container.resolve(Fault.self)
    #expect(try container.resolve(Fault.self) === fault)
    #expect(try container.resolve((any Named).self) as? Fault === fault)
    let error = try container.resolve((any Error).self)
    let object = try #require(error as? Fault)
    #expect(try container.resolve((any Error).self) as? Fault === object)
  }

  @Test func threadsThatReleaseItNeverFindAReleasedOne() throws {
    let container = try ComponentContainer {
      Component(Fault.self) { _ in Fault() }.scope(.weak)
      Component((any Named).self) { _ in Fault() }.scope(.weak)
    }
    let damaged = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for round in 0..<2_000 {
        let names = [
          (try? container.resolve(Fault.self))?.name, (try? container.resolve((any Named).self))?.name,
        ]
        if names != ["fault", "fault"] { damaged.withLock { $0 += 1 } }
        if round % 100 == thread { _ = container.retireInstances { _ in true } }
      }
    }
    #expect(damaged.withLock { $0 } == 0)
  }
}

private protocol Named: Sendable {
  var name: String { get }
}

private final class Fault: Named, Error {
  let name = "fault"
}
