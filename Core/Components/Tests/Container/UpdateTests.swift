import Dispatch
import TenonTestSupport
import Testing

@testable import TenonCore

/// R9: an update is a transaction.
@Suite(.limited) struct UpdateTests {
  enum Tuning: Library {
    static let name = "tuning"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] {
      Component(Int.self) { _ in 1 }.named("turbo")
      Component(Int.self) { _ in 2 }.named("spoiler")
    }
  }

  @Test func r9InstalledComponentsAreAvailableAndRemovedOnesAreNot() throws {
    let container = try ComponentContainer { Component(Int.self) { _ in 1 } }
    try container.update {
      $0.remove(Int.self)
      $0.install { Component(String.self) { _ in "new" } }
    }
    #expect(try container.resolve(String.self) == "new")
    #expect(error(ComponentError.self) { try container.resolve(Int.self) }?.code == .notProvided)
  }

  @Test func r9InstancesOfRemainingComponentsAreKept() throws {
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 1) }
      Component(Car.self, needs: .required((any Engine).self)) { _, engine in Car(engine: engine) }
      Component(Car.self, needs: .required((any Engine).self)) { _, engine in Car(engine: engine) }.named(
        "new")
    }
    let car = try container.resolve(Car.self)
    try container.update { $0.replace { Component((any Engine).self) { _ in Motor(power: 2) } } }
    #expect(try container.resolve(Car.self) === car)
    #expect(car.engine.power == 1)
    #expect(try container.resolve(Car.self, named: "new").engine.power == 2)
    #expect(try container.resolve((any Engine).self).power == 2)
  }

  @Test func r9AProviderReturnsTheNewestValue() throws {
    struct Driver: Sendable {
      let car: Provider<Int>
      let radio: Provider<String?>
      let songs: Provider<[Double]>
    }
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }
      Component(
        Driver.self, needs: .provider(Int.self), .optionalProvider(String.self), .allProvider(Double.self)
      ) { _, car, radio, songs in
        Driver(car: car, radio: radio, songs: songs)
      }
    }
    let driver = try container.resolve(Driver.self)
    #expect(try driver.car.get() == 1)
    #expect(try driver.radio.get() == nil)
    #expect(try driver.songs.get() == [])
    try container.update {
      $0.replace { Component(Int.self) { _ in 2 } }
      $0.install {
        Component(String.self) { _ in "radio" }
        Component(Double.self) { _ in 0.5 }.contributing()
      }
    }
    #expect(try driver.car.get() == 2)
    #expect(try driver.radio.get() == "radio")
    #expect(try driver.songs.get() == [0.5])
  }

  @Test func r9ReplacingRemovesTheWholeComponent() throws {
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }.providing((any Engine).self) { $0 }
    }
    try container.update { $0.replace { Component((any Engine).self) { _ in Motor(power: 5) } } }
    #expect(try container.resolve((any Engine).self).power == 5)
    #expect(try container.resolveIfPresent(Motor.self) == nil)
  }

  @Test func r9ReplacingAMissingComponentInstallsIt() throws {
    let container = try ComponentContainer {}
    try container.update { $0.replace { Component(Int.self) { _ in 1 } } }
    #expect(try container.resolve(Int.self) == 1)
  }

  @Test func r9AllComponentsOrAllExceptSomeTypesAreRemoved() throws {
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }
      Component(Int.self) { _ in 2 }.named("two")
      Component(Motor.self) { _ in Motor() }.providing((any Engine).self) { $0 }
      Component(String.self) { _ in "s" }
    }
    let motor = try container.resolve(Motor.self)
    try container.update { $0.removeAll(except: Int.self, (any Engine).self) }
    #expect(try container.resolve(Int.self, named: "two") == 2)
    #expect(try container.resolve(Motor.self) === motor)
    #expect(try container.resolveIfPresent(String.self) == nil)
    try container.update { $0.removeAll() }
    #expect(container.graph.components.isEmpty)
    #expect(try container.resolveIfPresent(Int.self) == nil)
  }

  @Test func r9ALibraryIsInstalledAndRemovedCompletely() throws {
    let container = try ComponentContainer { Component(Int.self) { _ in 0 } }
    try container.update { $0.install(Tuning.self) }
    #expect(container.graph.libraries.map(\.name) == ["tuning"])
    #expect(try container.resolve(Int.self, named: "spoiler") == 2)
    try container.update { $0.remove(library: "tuning") }
    #expect(container.graph.libraries.isEmpty)
    #expect(try container.resolve(Int.self) == 0)
    #expect(try container.resolveIfPresent(Int.self, named: "turbo") == nil)
  }

  @Test func r9OnDeleteRunsInReverseOrderOfCreationForRemovedInstances() async throws {
    let journal = Journal()
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }.onDelete { _ in journal.note("motor") }
      Component(Car.self, needs: .required(Motor.self)) { (_, motor: Motor) in Car(engine: motor) }
        .onDelete { _ in journal.note("car") }
      Component(String.self) { _ in "stays" }.onDelete { _ in journal.note("string") }
    }
    weak var motor: Motor?
    weak var car: Car?
    car = try container.resolve(Car.self)
    motor = try container.resolve(Motor.self)
    _ = try container.resolve(String.self)
    #expect(motor != nil && car != nil)
    await (try container.update { $0.removeAll(except: String.self) }).value
    #expect(journal.entries == ["car", "motor"])
    #expect(motor == nil)
    #expect(car == nil)
  }

  @Test func r9AnInstanceWhoseComponentIsRemovedDuringItsCreationIsDeletedToo() async throws {
    let journal = Journal()
    let (started, isRemoved) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let container = try ComponentContainer {
      Component(Motor.self) { _ in
        started.signal()
        isRemoved.wait()
        return Motor(power: 3)
      }.onDelete { journal.note("motor of \($0.power)") }
    }
    async let motor = onThread { Result { try container.resolve(Motor.self) } }
    await onThread { started.wait() }
    try container.update { $0.remove(Motor.self) }
    isRemoved.signal()
    // Earlier callers receive it.
    #expect(try await motor.get().power == 3)
    #expect(try container.resolveIfPresent(Motor.self) == nil)
    await container.delete()
    #expect(journal.entries == ["motor of 3"])
  }

  @Test func r9EagerComponentsOfAnUpdateAreCreatedOnce() throws {
    let created = Counter()
    let container = try ComponentContainer { Component(Int.self) { _ in created.increment() }.timing(.eager) }
    try container.update {
      $0.install {
        Component(String.self, needs: .required(Int.self)) { _, number in "\(number)" }.timing(.eager)
      }
    }
    #expect(created.value == 1)
    #expect(container.graph.components.map(\.creationOrder) == [1, 2])
    try container.update { $0.install { Component(Double.self) { _ in 1 } } }
    #expect(created.value == 1)
  }

  @Test func r9InstalledNamesReplaceAutomaticAliases() throws {
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.named("Main").automaticAliases()
    }
    #expect(try container.resolve(Int.self, named: "main") == 1)
    try container.update { $0.install { Component(Int.self) { _ in 2 }.named("main") } }
    #expect(try container.resolve(Int.self, named: "main") == 2)
    #expect(try container.resolve(Int.self, named: "MAIN") == 1)
    #expect(try container.resolve(Int.self, named: "Main") == 1)
  }

  @Test func r9ContributionsAreOrderedByLibraryName() async throws {
    enum Alpha: Library {
      static let name = "alpha"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { Component(String.self) { _ in "alpha" }.contributing() }
    }
    enum Beta: Library {
      static let name = "beta"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { Component(String.self) { _ in "beta" }.contributing() }
    }
    let app = try App.configure(
      name: "r9-order", options: AppOptions(projectID: "p"), libraries: [Beta.self])
    try app.container.update { $0.install(Alpha.self) }
    #expect(try app.resolveAll(String.self) == ["alpha", "beta"])
    await app.delete()
  }
}
