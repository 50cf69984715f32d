import Dispatch
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// R8: instances belong to their app.
@Suite(.limited) struct DeletionTests {
  enum Shop: Library {
    static let name = "shop"
    static let version = SemanticVersion(1, 2, 3)
    static var components: [AnyComponent] {
      Component(Motor.self) { _ in Motor() }.providing((any Engine).self) { $0 }
      Component(Car.self, needs: .required((any Engine).self)) { _, engine in Car(engine: engine) }
    }
  }

  @Test func r8OnDeleteRunsInReverseOrderOfCreation() async throws {
    let journal = Journal()
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onDelete { journal.note("int \($0)") }
      Component(String.self, needs: .required(Int.self)) { _, _ in "s" }.onDelete {
        journal.note("string \($0)")
      }
      Component(Double.self) { _ in 2 }.onDelete { journal.note("double \($0)") }
      Component(Bool.self) { _ in true }.onDelete { _ in journal.note("never created") }
    }
    _ = try container.resolve(String.self)
    _ = try container.resolve(Double.self)
    await container.delete()
    #expect(journal.entries == ["double 2.0", "string s", "int 1"])
  }

  @Test func r8DeletingReleasesEveryInstance() async throws {
    let app = try App.configure(
      name: "r8-release",
      options: AppOptions(projectID: "p"),
      libraries: [Shop.self]
    )
    weak var motor: Motor?
    weak var car: Car?
    motor = try app.resolve(Motor.self)
    car = try app.resolve(Car.self)
    #expect(motor != nil && car != nil)
    await app.delete()
    #expect(motor == nil)
    #expect(car == nil)
  }

  @Test func r8EveryLaterResolveThrowsAndOtherAppsAreUntouched() async throws {
    let options = AppOptions(projectID: "p")
    let deleted = try App.configure(name: "r8-deleted", options: options, libraries: [Shop.self])
    let other = try App.configure(name: "r8-other", options: options, libraries: [Shop.self])
    let car = try other.resolve(Car.self)
    _ = try deleted.resolve(Car.self)
    await deleted.delete()
    #expect(error(ComponentError.self) { try deleted.resolve(Car.self) }?.code == .appDeleted)
    #expect(
      error(ComponentError.self) { try deleted.resolveIfPresent((any Radio).self) }?.code == .appDeleted
    )
    #expect(error(ComponentError.self) { try deleted.resolveAll((any Radio).self) }?.code == .appDeleted)
    #expect(error(ComponentError.self) { try deleted.resolve((any Radio).self) }?.code == .appDeleted)
    #expect(try other.resolve(Car.self) === car)
    await other.delete()
  }

  @Test func r8TheNameCanBeConfiguredAgain() async throws {
    let options = AppOptions(projectID: "p")
    let first = try App.configure(name: "r8-again", options: options, libraries: [Shop.self])
    #expect(
      error(ConfigurationError.self) {
        try App.configure(name: "r8-again", options: options, libraries: [Shop.self])
      }?.problems.map(\.code) == [.alreadyConfigured]
    )
    await first.delete()
    await first.delete()
    #expect(App.app(name: "r8-again") == nil)
    let second = try App.configure(name: "r8-again", options: options, libraries: [Shop.self])
    #expect(App.app(name: "r8-again") === second)
    await second.delete()
  }

  @Test func r8DeletionWaitsForCreationsInProgress() async throws {
    let started = DispatchSemaphore(value: 0)
    let mayFinish = DispatchSemaphore(value: 0)
    let journal = Journal()
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onDelete { _ in journal.note("deleted int") }
      Component(Motor.self, needs: .provider(Int.self)) { _, number in
        started.signal()
        mayFinish.wait()
        _ = try number.get()
        return Motor()
      }.onDelete { _ in journal.note("deleted motor") }
    }
    async let motor = onThread { Result { try container.resolve(Motor.self) } }
    await onThread { started.wait() }
    async let deletion: Void = container.delete()
    // The container now rejects new callers, but the creation in progress can still resolve its dependencies.
    try await eventually { container.life.phase != .live }
    #expect(error(ComponentError.self) { try container.resolve(Int.self) }?.code == .containerDeleted)
    mayFinish.signal()
    await deletion
    #expect(await motor.componentError == nil)
    #expect(journal.entries == ["deleted motor", "deleted int"])
  }

  @Test func r8DeletionCreatesNoSharedInstanceForAUniqueCreationInProgress() async throws {
    let (started, mayFinish) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (isTaken, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let journal = Journal()
    let container = try ComponentContainer {
      Component(Int.self) { _ in
        journal.note("created")
        return 1
      }.onDelete { _ in
        isTaken.signal()
        await onThread { mayEnd.wait() }
        journal.note("deleted")
      }
      Component(Bool.self) { _ in
        started.signal()
        mayFinish.wait()
        return true
      }.scope(.unique)
      Component(String.self, needs: .required(Bool.self), .required(Int.self)) { _, _, number in "\(number)" }
        .scope(.unique)
    }
    _ = try container.resolve(Int.self)
    async let request = onThread { error(ComponentError.self) { try container.resolve(String.self) }?.code }
    await onThread { started.wait() }
    async let deletion: Void = container.delete()
    await onThread { isTaken.wait() }
    mayFinish.signal()
    #expect(await request == .containerDeleted)
    mayEnd.signal()
    await deletion
    #expect(journal.entries == ["created", "deleted"])
  }

  @Test func r8ReadersAndADeleterRunConcurrently() async throws {
    for _ in 0..<50 {
      let container = try ComponentContainer {
        Component((any Engine).self) { _ in Motor(power: 42) }
      }
      _ = try container.resolve((any Engine).self)
      let reading = DispatchSemaphore(value: 0)
      async let wrong = withTaskGroup(of: Int.self) { group in
        for _ in 0..<4 {
          group.addTask {
            await onThread {
              reading.signal()
              var wrong = 0
              while let engine = try? container.resolve((any Engine).self) {
                wrong += engine.power == 42 ? 0 : 1
              }
              return wrong
            }
          }
        }
        return await group.reduce(0, +)
      }
      await onThread { for _ in 0..<4 { reading.wait() } }
      await container.delete()
      #expect(await wrong == 0)
    }
  }

  @Test func aProviderDoesNotKeepItsContainerAlive() throws {
    struct Holder: Sendable { let number: Provider<Int> }
    var container: ComponentContainer? = try ComponentContainer {
      Component(Int.self) { _ in 1 }
      Component(Holder.self, needs: .provider(Int.self)) { _, number in Holder(number: number) }
    }
    weak let gone = container
    let holder = try container?.resolve(Holder.self)
    #expect(try holder?.number.get() == 1)
    container = nil
    #expect(gone == nil)
    #expect(error(ComponentError.self) { try holder?.number.get() }?.code == .containerDeleted)
  }
}
