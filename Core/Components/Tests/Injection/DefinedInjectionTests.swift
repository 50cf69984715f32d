import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// `.injecting` and `inject(into:as:)`: properties that a component sets, in instances that the container
/// creates and in objects that it doesn't.
@Suite(.limited) struct DefinedInjectionTests {
  /// A class without `@Injected`, as one of another package.
  final class Van: Sendable {
    private struct Parts {
      var engine: (any Engine)?
      var radio: (any Radio)?
      var loads: [Int] = []
    }

    private let parts = Lock(Parts())
    let journal = Journal()
    var engine: (any Engine)? {
      get { parts.withLock { $0.engine } }
      set { parts.withLock { $0.engine = newValue } }
    }
    var spare: any Engine {
      get { parts.withLock { $0.engine } ?? Motor(power: 0) }
      set { parts.withLock { $0.engine = newValue } }
    }
    var radio: (any Radio)? {
      get { parts.withLock { $0.radio } }
      set { parts.withLock { $0.radio = newValue } }
    }
    var loads: [Int] {
      get { parts.withLock { $0.loads } }
      set { parts.withLock { $0.loads = newValue } }
    }
  }

  @MainActor final class Screen: Sendable {
    var engine: (any Engine)?
  }

  @Test func propertiesAreInjectedByTypeAndName() throws {
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 3) }
      Component((any Engine).self) { _ in Motor(power: 4) }.named("spare")
      Component(Int.self) { _ in 7 }.contributing(to: Int.self) { $0 }
      Component(Van.self) { _ in Van() }.injecting(\.engine).injecting(\.radio).injecting(\.loads)
      Component(Van.self) { _ in Van() }.named("other").injecting(\.spare, named: "spare")
    }
    let van = try container.resolve(Van.self)
    #expect(van.engine?.power == 3)
    #expect(van.radio == nil)
    #expect(van.loads == [7])
    #expect(try container.resolve(Van.self, named: "other").spare.power == 4)
  }

  @Test func r2AnInjectionThatNothingProvidesIsAnErrorOfConfiguration() throws {
    let failed = error(ConfigurationError.self) {
      try ComponentContainer { Component(Van.self) { _ in Van() }.injecting(\.spare) }
    }
    let problem = try #require(failed?.problems.first)
    #expect(problem.code == .missingDependency)
    #expect(problem.message.contains("needs any Engine, which nothing provides"))
    #expect(
      problem.repairs.last == "Declare the need as an injection of (any Engine)? if it can do without.")
  }

  @Test func theGraphShowsWhatIsInjected() throws {
    let container = try ComponentContainer {
      Component(Van.self) { _ in Van() }.injecting(\.engine)
        .injecting((any Radio).self) { $0.radio = $1 }.injecting(\.loads)
      Component((any Radio).self) { _ in Motor() }
    }
    let van = try #require(container.graph.components.first { $0.name == "Van" })
    #expect(van.needs.map(\.kind) == ["optional injected", "injected", "all injected"])
    #expect(van.needs.map(\.isPresent) == [false, true, false])
  }

  @Test func hooksRunAroundTheInjectionsAndBeforeOnCreate() throws {
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 3) }
      Component(Van.self) { _ in Van() }
        .onCreate { van, _ in van.journal.note("created") }
        .afterInjecting { $0.journal.note("after \($0.spare.power)") }
        .injecting((any Engine).self) { van, engine in
          van.journal.note("inject")
          van.engine = engine
        }
        .beforeInjecting { $0.journal.note("before \($0.spare.power)") }
        .beforeInjecting { $0.journal.note("then") }
    }
    #expect(
      try container.resolve(Van.self).journal.entries == ["before 0", "then", "inject", "after 3", "created"])
  }

  @Test func twoComponentsAreInjectedIntoEachOther() throws {
    final class Node: Sendable {
      let other = Lock<Node?>(nil)
    }
    let container = try ComponentContainer {
      for (name, other) in [("a", "b"), ("b", "a")] {
        Component(Node.self) { _ in Node() }.named(name)
          .injecting(Node.self, named: other) { node, other in node.other.withLock { $0 = other } }
      }
    }
    let node = try container.resolve(Node.self, named: "a")
    let other = try #require(node.other.withLock { $0 })
    #expect(try container.resolve(Node.self, named: "b") === other)
    #expect(other.other.withLock { $0 } === node)
  }

  @Test func r10AChildInjectsItsOwnComponents() throws {
    let parent = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 1) }
      Component(Van.self) { _ in Van() }.injecting(\.engine)
    }
    let child = try parent.child { Component((any Engine).self) { _ in Motor(power: 2) } }
    #expect(try child.resolve(Van.self).engine?.power == 2)
    #expect(try parent.resolve(Van.self).engine?.power == 1)
    let van = Van()
    try child.inject(into: van, as: Van.self)
    #expect(van.engine?.power == 2)
  }

  @Test func aDefinitionIsAppliedToAnObjectThatExists() throws {
    let created = Counter()
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 3) }
      Component((any Engine).self) { _ in Motor(power: 4) }.named("spare")
      Component(Van.self) { _ in
        created.increment()
        return Van()
      }
      .beforeInjecting { $0.journal.note("before") }.injecting(\.engine)
      .afterInjecting { $0.journal.note("after") }.onCreate { van, _ in van.journal.note("created") }
      Component(Van.self) { _ in Van() }.named("other").injecting(\.spare, named: "spare")
    }
    let van = Van()
    try container.inject(into: van, as: Van.self)
    #expect(van.engine?.power == 3)
    #expect(van.journal.entries == ["before", "after"])
    try container.inject(into: van, as: Van.self, named: "other")
    #expect(van.engine?.power == 4)
    #expect(created.value == 0)
  }

  @Test func anObjectIsInjectedUnderAnotherTypeOfItsComponent() throws {
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }.providing((any Engine).self) { $0 }
        .injecting(Int.self) { _, _ in }
      Component(Int.self) { _ in 1 }
    }
    #expect(throws: Never.self) { try container.inject(into: Motor(), as: (any Engine).self) }
    struct Other: Engine { let power = 1 }
    let failed = error(ComponentError.self) { try container.inject(into: Other(), as: (any Engine).self) }
    #expect(failed?.code == .creationFailed)
    #expect(
      failed?.reason
        == "any Engine can't be injected: the object isn't a Motor, which its component creates.")
  }

  @Test func anInjectionThatFailsIsAnErrorThatNamesTheComponent() throws {
    let container = try ComponentContainer {
      Component(Int.self) { _ in throw Failure() }
      Component(Van.self) { _ in Van() }.injecting(Int.self) { van, load in van.loads = [load] }
      Component(String.self) { _ in "" }
    }
    let failed = error(ComponentError.self) { try container.inject(into: Van(), as: Van.self) }
    #expect(failed?.component == "Int")
    #expect(failed?.path == ["Int"])
    #expect(error(ComponentError.self) { try container.resolve(Van.self) }?.component == "Int")
    let missing = error(ComponentError.self) { try container.inject(into: Motor(), as: Motor.self) }
    #expect(missing?.code == .notProvided)
    // Nothing is left of a failure.
    #expect(try container.resolve(String.self) == "")
    #expect(throws: ComponentError.self) { try container.resolve(Van.self) }
  }

  @Test func theInjectionsOfOneObjectShareTheInstanceOfAGraph() throws {
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }.scope(.graph)
      Component(Van.self) { _ in Van() }
        .injecting(Motor.self) { $0.engine = $1 }.injecting(Motor.self) { $0.radio = $1 }
    }
    let van = Van()
    try container.inject(into: van, as: Van.self)
    #expect(van.engine as? Motor === van.radio as? Motor)
    let other = try container.resolve(Van.self)
    #expect(other.engine as? Motor === other.radio as? Motor)
    #expect(other.engine as? Motor !== van.engine as? Motor)
  }

  @MainActor @Test func r12ObjectsOfTheMainActorAreInjectedThere() async throws {
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 3) }
      Component.onMainActor(Screen.self) { _ in Screen() }
        .injectingOnMainActor((any Engine).self) { screen, engine in screen.engine = engine }
    }
    #expect(try container.resolveOnMainActor(Screen.self).engine?.power == 3)
    let screen = Screen()
    let failed = await Task.detached {
      error(ComponentError.self) { try container.inject(into: screen, as: Screen.self) }
    }.value
    #expect(failed?.code == .notOnMainActor)
    #expect(screen.engine == nil)
    try container.inject(into: screen, as: Screen.self)
    #expect(screen.engine?.power == 3)
  }

  @Test func anObjectOfADecoratedDefinitionIsInjectedFromTheInnermost() throws {
    let parent = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 3) }
      Component(Van.self) { _ in Van() }.injecting(\.engine).afterInjecting { $0.journal.note("base") }
      Component<Van>.decorating { _, van in van }.afterInjecting { $0.journal.note("decorator") }
    }
    let child = try parent.child {
      Component<Van>.decorating { _, van in van }.afterInjecting { $0.journal.note("child") }
    }
    #expect(try child.resolve(Van.self).journal.entries == ["base", "decorator", "child"])
    let van = Van()
    try child.inject(into: van, as: Van.self)
    #expect(van.journal.entries == ["base", "decorator", "child"])
    #expect(van.engine?.power == 3)
    let other = Van()
    try parent.inject(into: other, as: Van.self)
    #expect(other.journal.entries == ["base", "decorator"])
  }
}
