import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// `onCreate`: the second phase of a creation, which completes circular references.
@Suite(.limited) struct CompletionTests {
  final class Person: Sendable {
    let name: String
    private let friend = Lock<Person?>(nil)
    init(_ name: String) { self.name = name }
    var other: Person? {
      get { friend.withLock { $0 } }
      set { friend.withLock { $0 = newValue } }
    }
  }

  private static func person(_ name: String, knows other: String, in scope: Scope = .shared) -> Component<
    Person
  > {
    Component(Person.self) { _ in Person(name) }.named(name).scope(scope).onCreate { person, container in
      person.other = try container.resolve(Person.self, named: other)
    }
  }

  @Test(arguments: [Scope.shared, .graph, .weak, .pool("p")], [["a", "b"], ["a", "b", "c"], ["a"]])
  func onCreateClosesCircularReferences(scope: Scope, names: [String]) throws {
    let container = try ComponentContainer {
      for (index, name) in names.enumerated() {
        Self.person(name, knows: names[(index + 1) % names.count], in: scope)
      }
    }
    let first = try container.resolve(Person.self, named: "a")
    var person = first
    for name in names {
      #expect(person.name == name)
      person = try #require(person.other)
    }
    #expect(person === first)
    for name in names { try container.resolve(Person.self, named: name).other = nil }
    first.other = nil
  }

  @Test func aProviderClosesACircularReference() throws {
    final class Parent: Sendable {
      let child: Provider<Child>
      init(child: Provider<Child>) { self.child = child }
    }
    final class Child: Sendable {
      let parent: Parent
      init(parent: Parent) { self.parent = parent }
    }
    let container = try ComponentContainer {
      Component(Parent.self, needs: .provider(Child.self)) { Parent(child: $1) }
      Component(Child.self, needs: .required(Parent.self)) { Child(parent: $1) }
    }
    let parent = try container.resolve(Parent.self)
    #expect(try parent.child.get().parent === parent)
    #expect(try container.resolve(Child.self) === parent.child.get())
  }

  @Test func aCycleOfUniqueComponentsIsAnErrorWithItsPath() throws {
    let container = try ComponentContainer {
      Self.person("a", knows: "b", in: .unique)
      Self.person("b", knows: "a", in: .unique)
    }
    let thrown = error(ComponentError.self) { try container.resolve(Person.self, named: "a") }
    #expect(thrown?.code == .cycle)
    #expect(
      thrown?.description.hasPrefix("TENON-204: Person named \"a\" needs itself while it is created.")
        == true,
      "\(String(describing: thrown))")
  }

  @Test func actionsRunInOrderAfterAllInstancesAreCreated() throws {
    let journal = Journal()
    let container = try ComponentContainer {
      Component(Int.self) { _ in
        journal.note("make int")
        return 1
      }.onCreate { number, _ in journal.note("int \(number)") }
      Component(String.self, needs: .required(Int.self)) { _, number in
        journal.note("make string")
        return "\(number)"
      }
      .onCreate { text, _ in journal.note("first \(text)") }
      .onCreate { text, container in journal.note("second \(try container.resolve(Int.self))") }
    }
    _ = try container.resolve(String.self)
    #expect(journal.entries == ["make int", "make string", "int 1", "first 1", "second 1"])
    _ = try container.resolve(String.self)
    #expect(journal.entries.count == 5)
  }

  @Test func actionsRunForEachInstance() async throws {
    let counter = Counter()
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onCreate { _, _ in counter.increment() }
      Component(String.self) { _ in "s" }.scope(.unique).onCreate { _, _ in counter.increment() }
    }
    for _ in 0..<2 {
      _ = try container.resolve(Int.self)
      await container.reset()
    }
    #expect(counter.value == 2)
    for _ in 0..<2 { _ = try container.resolve(String.self) }
    #expect(counter.value == 4)
  }

  @Test func r6AnActionThatThrowsCachesNothingAndRunsAgain() throws {
    let tries = Counter()
    let container = try ComponentContainer {
      Component(Int.self) { _ in tries.increment() }.onCreate { number, _ in
        if number == 1 { throw Failure() }
      }
      Component(Motor.self, needs: .required(Int.self)) { _, number in Motor(power: number) }
    }
    #expect(
      error(ComponentError.self) { try container.resolve(Motor.self) }?.description
        == "TENON-202: Int can't be created: Failure(text: \"failed\")")
    #expect(container.graph.components.allSatisfy { !$0.isCreated })
    #expect(try container.resolve(Motor.self).power == 2)
  }

  @Test func r3AnActionMayDecline() throws {
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onCreate { _, _ in throw ComponentUnavailable("not today") }
    }
    #expect(try container.resolveIfPresent(Int.self) == nil)
    #expect(
      error(ComponentError.self) { try container.resolve(Int.self) }?.reason
        == "Int isn't available: not today")
  }

  @Test func anActionOfAnEagerComponentMayCreateAChildDuringAnUpdate() throws {
    let child = Lock<ComponentContainer?>(nil)
    let container = try ComponentContainer { Component(Int.self) { _ in 1 } }
    try container.update {
      $0.replace { Component(Int.self) { _ in 2 } }
      $0.install {
        Component(Motor.self) { _ in Motor() }.timing(.eager).onCreate { _, container in
          let new = try container.child { Component(String.self, needs: .required(Int.self)) { "\($1)" } }
          child.withLock { $0 = new }
        }
      }
    }
    let made = try #require(child.withLock { $0 })
    #expect(try made.resolve(String.self) == "2")
    #expect(try made.resolve(Motor.self) === container.resolve(Motor.self))
  }

  @Test func anObjectIsInjectedAsSoonAsItIsCreated() throws {
    final class Screen: Sendable {
      let number = Injected<Int>()
    }
    let container = try ComponentContainer {
      Component(Int.self) { _ in 7 }
      Component(Screen.self) { _ in Screen() }.onCreate { try $1.inject(into: $0) }
    }
    #expect(try container.resolve(Screen.self).number.wrappedValue == 7)
  }
}
