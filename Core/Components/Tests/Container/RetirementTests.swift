import Dispatch
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// The order in which `onDelete` actions of dependent instances run.
@Suite(.limited) struct RetirementTests {
  /// A container with a radio and a car that depends on its engine. The journal records the `onDelete`
  /// actions; the car's action waits for `gate`.
  private struct Garage {
    let journal = Journal()
    let gate = AsyncStream<Void>.makeStream()
    let container: ComponentContainer

    init() throws {
      let (journal, gate) = (journal, gate.stream)
      container = try ComponentContainer {
        Component(Motor.self) { _ in Motor() }.onDelete { _ in journal.note("motor") }
        Component(Car.self, needs: .required(Motor.self)) { _, motor in Car(engine: motor) }.onDelete { _ in
          for await _ in gate {}
          journal.note("car")
        }
        Component(String.self) { _ in "radio" }.onDelete { _ in journal.note("radio") }
      }
      _ = try container.resolve(Car.self)
      _ = try container.resolve(String.self)
    }

    func open() { gate.continuation.finish() }
  }

  @Test func unrelatedComponentsDoNotWaitForASlowOnDelete() async throws {
    let garage = try Garage()
    let car = try garage.container.retireInstances(of: Car.self)
    let radio = try garage.container.retireInstances(of: String.self)
    try #require(await inTime { await radio.value } != nil)
    #expect(garage.journal.entries == ["radio"])
    garage.open()
    await car.value
    #expect(garage.journal.entries == ["radio", "car"])
  }

  @Test func aComponentIsRetiredAfterItsDependents() async throws {
    let garage = try Garage()
    _ = try garage.container.retireInstances(of: Car.self)
    let motor = try garage.container.retireInstances(of: Motor.self)
    let radio = try garage.container.retireInstances(of: String.self)
    try #require(await inTime { await radio.value } != nil)
    garage.open()
    await motor.value
    #expect(garage.journal.entries == ["radio", "car", "motor"])
  }

  @Test func aComponentIsRetiredAfterItsDependentsOfAnEarlierGraph() async throws {
    let garage = try Garage()
    try garage.container.update { $0.remove(Car.self) }
    let motor = try garage.container.update { $0.remove(Motor.self) }
    let radio = try garage.container.retireInstances(of: String.self)
    try #require(await inTime { await radio.value } != nil)
    garage.open()
    await motor.value
    #expect(garage.journal.entries == ["radio", "car", "motor"])
  }

  @Test func instancesOfOneComponentAreRetiredInOrder() async throws {
    let journal = Journal()
    let created = Counter()
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor(power: created.increment()) }.onDelete { motor in
        // The action of the first instance takes the longest.
        for _ in motor.power..<20 { await Task.yield() }
        journal.note("\(motor.power)")
      }
    }
    var last: Task<Void, Never>?
    for _ in 0..<20 {
      _ = try container.resolve(Motor.self)
      last = container.retireInstances { _ in true }
    }
    await last?.value
    #expect(journal.entries == (1...20).map { "\($0)" })
  }

  @Test func r8DeletionWaitsForRetiredInstances() async throws {
    let garage = try Garage()
    try garage.container.update { $0.remove(Car.self) }
    async let deletion: Void = garage.container.delete()
    try await eventually { (try? garage.container.resolve(String.self)) == nil }
    garage.open()
    await deletion
    #expect(garage.journal.entries.first == "car")
    #expect(garage.journal.entries.sorted() == ["car", "motor", "radio"])
  }

  @Test(arguments: [false, true])
  func aBorrowDelaysOnlyTheBorrowedInstance(isNested: Bool) async throws {
    let garage = try Garage()
    garage.open()
    let handle = garage.container.handle(Car.self)
    let (isBorrowed, mayReturn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    async let borrow: Void = onThread {
      try? handle.with { _ in
        if isNested { _ = try garage.container.handle(Motor.self).with { $0.power } }
        isBorrowed.signal()
        mayReturn.wait()
        garage.journal.note("returned")
      }
    }
    await onThread { isBorrowed.wait() }
    let car = try garage.container.retireInstances(of: Car.self)
    let radio = try garage.container.retireInstances(of: String.self)
    try #require(await inTime { await radio.value } != nil)
    #expect(garage.journal.entries == ["radio"])
    mayReturn.signal()
    await car.value
    await borrow
    #expect(garage.journal.entries == ["radio", "returned", "car"])
  }

  @Test func theCostOfAResetDuringABorrowDoesNotGrow() async throws {
    var last: [Task<Void, Never>?] = []
    let (deleted, created) = (Counter(), Counter())
    let growth = try CPUTime.growth(from: 250, by: 16) { count in
      let container = try ComponentContainer {
        Component(Motor.self) { _ in Motor(power: created.increment()) }.onDelete { _ in deleted.increment() }
      }
      try container.handle(Motor.self).with { _ in
        let before = created.value
        var task: Task<Void, Never>?
        for _ in 0..<count {
          _ = try container.resolve(Motor.self)
          task = container.retireInstances { _ in true }
        }
        last.append(task)
        #expect(
          created.value == before + count - 1, "the first was borrowed; none is deleted before it is returned"
        )
      }
    }
    #expect(growth < CPUTime.limit(ofLinear: 16))
    for task in last { await task?.value }
    #expect(deleted.value == created.value)
  }

  @Test func r9AnUpdateEndsAfterEveryChildHasRetiredItsInstances() async throws {
    let journal = Journal()
    let gate = AsyncStream<Void>.makeStream()
    let stream = gate.stream
    let parent = try ComponentContainer {
      Component(Int.self) { _ in 1 }
      Component(String.self, needs: .required(Int.self)) { _, number in "\(number)" }.onDelete { _ in
        for await _ in stream {}
        journal.note("deleted")
      }
    }
    // The first creates its own string; the second has nothing to retire.
    let first = try parent.child { Component(Int.self) { _ in 2 } }
    let second = try parent.child {}
    #expect(try first.resolve(String.self) == "2")
    #expect(try second.resolve(Int.self) == 1)
    let update = try parent.update { $0.remove(String.self) }
    gate.continuation.finish()
    await update.value
    #expect(journal.entries == ["deleted"])
  }
}
