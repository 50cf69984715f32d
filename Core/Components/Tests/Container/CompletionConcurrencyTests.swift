import Dispatch
import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// R5: `onCreate` actions on several threads.
@Suite(.limited) struct CompletionConcurrencyTests {
  typealias Person = CompletionTests.Person

  @Test func r5AnInstanceIsVisibleToOthersOnlyAfterItsAction() async throws {
    let (isInAction, mayFinish) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let journal = Journal()
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }.onCreate { _, _ in
        isInAction.signal()
        mayFinish.wait()
        journal.note("finished")
      }
    }
    async let first = onThread { Result { try container.resolve(Motor.self) } }
    async let second = onThread {
      isInAction.wait()
      mayFinish.signal()
      let result = Result { try container.resolve(Motor.self) }
      journal.note("seen")
      return result
    }
    let (one, other) = try await (first.get(), second.get())
    #expect(one === other)
    #expect(journal.entries == ["finished", "seen"])
  }

  /// Each thread holds one end of the cycle before it resolves the other.
  @Test func r5TwoThreadsCreateACycleFromBothEnds() async throws {
    let (left, right) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let container = try ComponentContainer {
      Component(Person.self) { _ in Person("left") }.named("left").onCreate { person, container in
        left.signal()
        right.wait()
        person.other = try container.resolve(Person.self, named: "right")
      }
      Component(Person.self) { _ in Person("right") }.named("right").onCreate { person, container in
        right.signal()
        left.wait()
        person.other = try container.resolve(Person.self, named: "left")
      }
    }
    async let one = onThread { Result { try container.resolve(Person.self, named: "left") } }
    async let other = onThread { Result { try container.resolve(Person.self, named: "right") } }
    let (first, second) = try await (one.get(), other.get())
    #expect(first.other === second)
    #expect(second.other === first)
    first.other = nil
    second.other = nil
  }

  /// One thread creates a component that needs the other thread's instance, whose action resolves the
  /// component that is being created.
  @Test(arguments: 1...20)
  func r5TwoThreadsCreateACycleOfANeedAndAnAction(round: Int) async throws {
    let (isCreating, isFinishing) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let container = try ComponentContainer {
      Component(Person.self, needs: .provider(Person.self, named: "child")) { _, child in
        isCreating.signal()
        isFinishing.wait()
        let parent = Person("parent")
        parent.other = try child.get()
        return parent
      }.named("parent")
      Component(Person.self) { _ in Person("child") }.named("child").onCreate { child, container in
        isFinishing.signal()
        isCreating.wait()
        child.other = try container.resolve(Person.self, named: "parent")
      }
    }
    async let one = onThread { Result { try container.resolve(Person.self, named: "parent") } }
    async let other = onThread { Result { try container.resolve(Person.self, named: "child") } }
    let (parent, child) = try await (one.get(), other.get())
    #expect(parent.other === child)
    #expect(child.other === parent)
    parent.other = nil
    child.other = nil
  }

  /// The same cycle, while other threads request one of its members: when the thread that needs the child is
  /// lent it, but hasn't continued yet.
  @Test func r5OthersAskForAMemberOfACycleThatTwoThreadsClose() async throws {
    for _ in 1...DeepTests.count(25, deep: 100) {
      let isCreated = DispatchSemaphore(value: 0)
      let isClosing = ThreadGate()
      let container = try ComponentContainer {
        Component(Person.self, needs: .provider(Person.self, named: "child")) { _, child in
          isCreated.wait()
          let parent = Person("parent")
          parent.other = try child.get()
          return parent
        }.named("parent")
        Component(Person.self) { _ in Person("child") }.named("child").onCreate { child, container in
          isCreated.signal()
          isClosing.pass()
          child.other = try container.resolve(Person.self, named: "parent")
        }
      }
      @Sendable func person(_ name: String) -> Result<Person, any Error> {
        Result { try container.resolve(Person.self, named: name) }
      }
      let cell = try #require(container.currentWiring.slot(ComponentKey(Person.self, named: "child"))?.cell)
      async let results = inTime {
        await withTaskGroup(of: Result<Person, any Error>.self) { group in
          for name in ["parent", "child"] { group.addTask { await onThread { person(name) } } }
          for _ in 0..<8 {
            group.addTask {
              await onThread {
                isClosing.pass()
                return person("parent")
              }
            }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
      }
      do {
        defer { isClosing.open() }
        // The other thread waits for the child, which only the state of the creations shows.
        try await eventually {
          CreationState.shared.withLock {
            $0.waitingFor.values.contains { $0.cell == ObjectIdentifier(cell) }
          }
        }
      }
      let people = try #require(await results)
      #expect(people.count == 10)
      for result in people {
        let person = try result.get()
        #expect(person.other?.other === person)
      }
      for result in people { try result.get().other = nil }
    }
  }

  @Test(arguments: 1...50)
  func r5ManyThreadsResolveTheMembersOfACycle(round: Int) async throws {
    let names = ["a", "b", "c", "d"]
    let created = Counter()
    let container = try ComponentContainer {
      for (index, name) in names.enumerated() {
        Component(Person.self) { _ in
          created.increment()
          return Person(name)
        }.named(name).onCreate { person, container in
          person.other = try container.resolve(Person.self, named: names[(index + 1) % names.count])
        }
      }
    }
    let people = try await withThrowingTaskGroup(of: Person.self) { group in
      for name in names { group.addTask { try container.resolve(Person.self, named: name) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(created.value == 4)
    for person in people {
      let next = try container.resolve(
        Person.self, named: names[(names.firstIndex(of: person.name)! + 1) % 4])
      #expect(person.other === next)
    }
    for person in people { person.other = nil }
  }
}
