import Dispatch
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// Updates and adoptions that wait for a creation, while the creation uses the container.
@Suite(.limited) struct DeadlockTests {
  @Test(arguments: [false, true])
  func r9ACreationMayCreateAChildWhileAnUpdateWaits(inOnCreate: Bool) async throws {
    let (isCreating, isUpdating) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let here = Reference()
    @Sendable func makeChild() throws {
      isCreating.signal()
      isUpdating.wait()
      here.child = try here.container?.child { Component(String.self) { _ in "child" } }
    }
    let container = try ComponentContainer {
      Component(Motor.self) { _ in
        if !inOnCreate { try makeChild() }
        return Motor()
      }.onCreate { _, _ in if inOnCreate { try makeChild() } }
    }
    here.container = container
    async let motor = inTime { Result { try container.resolve(Motor.self) } }
    async let update = inTime {
      isCreating.wait()
      return Result {
        try container.update {
          $0.install {
            Component(Int.self) { _ in
              isUpdating.signal()
              return 7
            }.timing(.eager)
            Component(Car.self, needs: .required(Motor.self)) { _, motor in Car(engine: motor) }.timing(
              .eager)
          }
        }
      }
    }
    let (created, updated) = await (motor, update)
    _ = try #require(created).get()
    _ = try #require(updated).get()
    // The child was created before the new graph took effect, and still uses it.
    let child = try #require(here.child)
    #expect(try child.resolve(Int.self) == 7)
    #expect(try child.resolve(Car.self) === container.resolve(Car.self))
    #expect(try child.resolve(String.self) == "child")
  }

  @Test func r9ConcurrentUpdatesThatCreateChildrenOfEachOthersContainersTerminate() async throws {
    let containers = [try ComponentContainer {}, try ComponentContainer {}]
    let arrivals = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    @Sendable func update(_ own: Int, _ other: Int) -> Result<Void, any Error> {
      Result {
        try containers[own].update {
          $0.install {
            Component(Int.self) { _ in
              arrivals[own].signal()
              arrivals[other].wait()
              return try containers[other].child { Component(String.self) { _ in "" } }.resolve(String.self)
                .count
            }.timing(.eager)
          }
        }
      }
    }
    async let first = inTime { update(0, 1) }
    async let second = inTime { update(1, 0) }
    let results = await (first, second)
    try #require(results.0).get()
    try #require(results.1).get()
    for container in containers { #expect(try container.resolve(Int.self) == 0) }
  }

  @Test func r11AnOnCreateActionThatFailsTerminatesWhileAnAdoptionWaits() async throws {
    /// The instance for which the late library waits, only in the app of this test.
    final class Shared: Sendable {}
    struct Errand: Sendable { let action: @Sendable () -> Void }
    struct Nowhere: Sendable {}
    enum Patient: Library {
      struct First: Sendable {}
      struct Second: Sendable {}
      static let name = "late-patient"
      static let version = SemanticVersion(1, 0, 0)
      @ComponentBuilder static var components: [AnyComponent] {
        Component(First.self, needs: .optional(Errand.self)) { _, errand in
          errand?.action()
          return First()
        }.timing(.eager)
        Component(Second.self, needs: .optional(Shared.self)) { _, _ in Second() }.timing(.eager)
      }
    }
    let (isFinishing, isAdopting) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    struct Source: ComponentSource {
      let components: [AnyComponent]
      init(@ComponentBuilder _ components: () -> [AnyComponent]) { self.components = components() }
    }
    let source = Source {
      Component(Errand.self) { _ in Errand { isAdopting.signal() } }
      Component(Shared.self) { _ in Shared() }.onCreate { _, container in
        isFinishing.signal()
        isAdopting.wait()
        let nowhere = try container.resolveIfPresent(Nowhere.self)
        #expect(nowhere == nil)
      }
    }
    let app = try App.configure(
      name: "late-patient", options: AppOptions(projectID: "p", apiKey: "any", data: .memory),
      sources: [source])
    async let shared = inTime { Result { try app.resolve(Shared.self) } }
    async let adoption: Void? = inTime {
      isFinishing.wait()
      LibraryRegistry.register(Patient.self)
      // Ignores errors of the libraries that other tests register.
      try? app.adoptLoadedLibraries()
    }
    let results = await (shared, adoption)
    _ = try #require(results.0).get()
    try #require(results.1)
    #expect(try app.resolveIfPresent(Patient.Second.self) != nil)
    await app.delete()
  }
}

/// A container that is used by its own creations, and the child that they create.
private final class Reference: Sendable {
  private let storage = Lock<(container: ComponentContainer?, child: ComponentContainer?)>((nil, nil))
  var container: ComponentContainer? {
    get { storage.withLock { $0.container } }
    set { storage.withLock { $0.container = newValue } }
  }
  var child: ComponentContainer? {
    get { storage.withLock { $0.child } }
    set { storage.withLock { $0.child = newValue } }
  }
}
