import TenonTestSupport
import Testing

@testable import TenonCore

/// `@Injected` properties.
@Suite(.limited) struct InjectedTests {
  struct Screen: Sendable {
    @Injected var engine: any Engine
    @Injected(named: "backup") var spare: any Engine
    @Injected var radio: (any Radio)?
  }

  private static func container(_ created: Counter = Counter()) throws -> ComponentContainer {
    try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: created.increment()) }.scope(.unique)
      Component((any Engine).self) { _ in Motor(power: 100) }.named("backup")
    }
  }

  @Test func theValueIsReadFromTheCurrentContainerOnceAndKept() throws {
    let screen = Screen()
    try ComponentContainer.withCurrent(Self.container()) {
      #expect(screen.engine.power == 1)
      #expect(screen.engine.power == 1)
      #expect(screen.spare.power == 100)
      #expect(screen.radio == nil)
    }
    #expect(screen.engine.power == 1)
  }

  @Test func theCurrentContainerIsThatOfTheTask() async throws {
    let (one, two) = try (Self.container(), Self.container(Counter()))
    try two.update { $0.replace { Component((any Engine).self) { _ in Motor(power: 50) } } }
    let powers = await ComponentContainer.withCurrent(one) {
      async let inherited = Task { Screen().engine.power }.value
      let inner = ComponentContainer.withCurrent(two) { Screen().engine.power }
      return await [inherited, inner, Screen().engine.power]
    }
    #expect(powers == [1, 50, 2])
  }

  @Test func aValueThatIsSetReplacesWhatWouldBeInjected() throws {
    var screen = Screen()
    screen.engine = Motor(power: 7)
    screen.radio = nil
    try ComponentContainer.withCurrent(Self.container()) { #expect(screen.engine.power == 7) }
  }

  @Test func settingAValueInACopyDoesNotAffectTheOriginal() throws {
    try ComponentContainer.withCurrent(Self.container()) {
      let original = Screen()
      var (before, after) = (original, original)
      before.engine = Motor(power: 7)
      before.radio = Motor()
      #expect(original.engine.power == 1)
      #expect(original.radio == nil)
      after = original
      after.engine = Motor(power: 8)
      #expect([original.engine.power, before.engine.power, after.engine.power] == [1, 7, 8])
    }
  }

  /// Main-actor isolation makes a class with wrapped properties sendable.
  @MainActor final class Page: Sendable {
    @Injected var engine: any Engine
  }

  @MainActor @Test func aPropertyOfAClassCanBeSetAndReadAgain() throws {
    let page = Page()
    try ComponentContainer.withCurrent(Self.container()) { #expect(page.engine.power == 1) }
    page.engine = Motor(power: 9)
    #expect(page.engine.power == 9)
  }

  @Test func theReasonForAMissingValueIsAvailable() throws {
    let screen = Screen()
    try ComponentContainer.withCurrent(ComponentContainer {}) {
      #expect(error(ComponentError.self) { try screen.$engine.get() }?.code == .notProvided)
    }
    // The next access retries.
    let engine = try ComponentContainer.withCurrent(Self.container()) { try screen.$engine.get() }
    #expect(engine.power == 1)
  }

  @Test func theValueIsReadFromANamedApp() async throws {
    struct Page: Sendable {
      @Injected(app: "injected-app") var number: Int
      @Injected(app: "injected-unknown") var text: String
    }
    let app = try App.configure(
      name: "injected-app", options: AppOptions(projectID: "p"), libraries: [], sources: [Numbers()])
    let page = Page()
    #expect(page.number == 5)
    #expect(
      error(ConfigurationError.self) { try page.$text.get() }?.description == """
        TENON-307: There is no app "injected-unknown".
          - Call try App.configure(name: "injected-unknown") first.
        """)
    await app.delete()
  }

  struct Numbers: ComponentSource {
    var components: [AnyComponent] { Component(Int.self) { _ in 5 } }
  }

  @Test func twoThreadsThatReadConcurrentlyReceiveOneValue() async throws {
    let container = try Self.container()
    for _ in 0..<50 {
      let screen = Screen()
      let powers = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<4 {
          group.addTask { ComponentContainer.withCurrent(container) { screen.engine.power } }
        }
        return await group.reduce(into: Set<Int>()) { $0.insert($1) }
      }
      #expect(powers.count == 1)
    }
  }

  @Test func aPropertyThatIsEmptiedIsFilledAgain() throws {
    final class Screen {
      @Injected var number: Int
    }
    let (one, two) = try (
      ComponentContainer { Component(Int.self) { _ in 1 } },
      ComponentContainer { Component(Int.self) { _ in 2 } }
    )
    let screen = Screen()
    try one.inject(into: screen)
    let copy = screen.$number
    screen.$number.reset()
    #expect(try ComponentContainer.withCurrent(two) { try screen.$number.get() } == 2)
    screen.$number.reset()
    try one.inject(into: screen)
    #expect(screen.number == 1)
    #expect(copy.wrappedValue == 1)
  }
}
