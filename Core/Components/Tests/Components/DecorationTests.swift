import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// R10: decorators in one container, in libraries, over updates, and over what isn't there.
@Suite(.limited) struct DecorationTests {
  /// What a library provides is above what the libraries provide that it needs, whatever their names are.
  private enum Base: Library {
    static let name = "m-base"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] {
      AnyComponent(Component(Described.self) { _ in Described("base") })
    }
  }

  /// Decorates, and provides what ``Upper`` needs.
  private enum Lower: Library {
    struct Style: Sendable { let text: String }
    static let name = "z-lower"
    static let version = SemanticVersion(1, 0, 0)
    @ComponentBuilder static var components: [AnyComponent] {
      Component(Style.self) { _ in Style(text: "style") }
      Component.decorating(Described.self) { _, inner in Described("lower(\(inner.text))") }
    }
  }

  private enum Upper: Library {
    static let name = "a-upper"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] {
      AnyComponent(
        Component.decorating(Described.self, needs: .required(Lower.Style.self)) { _, inner, style in
          Described("upper(\(inner.text),\(style.text))")
        })
    }
  }

  private static func decorator(_ label: String, isOptional: Bool = false) -> Component<Described> {
    .decorating(isOptional: isOptional) { _, inner in Described("\(label)(\(inner.text))") }
  }

  private static var base: Component<Described> { Component(Described.self) { _ in Described("base") } }

  private static func text(_ container: ComponentContainer, named name: String? = nil) throws -> String {
    try container.resolve(Described.self, named: name).text
  }

  private static func problems(_ components: [AnyComponent]) -> [ConfigurationError.Problem] {
    do { _ = try ComponentContainer { components } } catch let error as ConfigurationError {
      return error.problems
    } catch { Issue.record(error) }
    return []
  }

  // MARK: - Stacks

  @Test func r10ADecoratorOfALibraryWrapsWhatItsDependenciesProvide() throws {
    let container = try ComponentContainer { Self.decorator("app", isOptional: true) }
    try container.update {
      $0.install(Upper.self)
      $0.install(Lower.self)
      $0.install(Base.self)
    }
    #expect(try Self.text(container) == "app(upper(lower(base),style))")
  }

  @Test func r10DecoratorsOfOneContainerAreAppliedInTheOrderOfTheirDeclarations() throws {
    let container = try ComponentContainer {
      Self.decorator("one")
      Self.base
      Self.decorator("two")
    }
    #expect(try Self.text(container) == "two(one(base))")
    let kept = try container.resolve(Described.self)
    #expect(try container.resolve(Described.self) === kept)
  }

  @Test func r10ADecoratorHasTheNameOfWhatItDecorates() throws {
    let container = try ComponentContainer {
      Component(Described.self) { _ in Described("a") }.named("a")
      Component(Described.self) { _ in Described("b") }.named("b")
      Component.decorating(Described.self, named: "a") { _, inner in Described("one(\(inner.text))") }
      Self.decorator("two").named("b")
    }
    #expect(try Self.text(container, named: "a") == "one(a)")
    #expect(try Self.text(container, named: "b") == "two(b)")
  }

  @Test func r10AComponentDecoratesTheTypeThatItProvidesAndNeeds() throws {
    struct Loud: Sendable { let inner: Described }
    let container = try ComponentContainer {
      Self.base
      Component(Loud.self, needs: .required(Described.self)) { _, inner in Loud(inner: inner) }
        .providing(Described.self) { Described("loud(\($0.inner.text))") }
    }
    #expect(try Self.text(container) == "loud(base)")
    #expect(try container.resolve(Loud.self).inner.text == "base")
  }

  @Test func r10WhatNeedsADecoratedKeyReceivesTheDecorator() throws {
    struct User: Sendable { let text: String }
    let root = try ComponentContainer {
      Self.base
      Component(User.self, needs: .required(Described.self)) { _, inner in User(text: inner.text) }
    }
    let child = try root.child { Self.decorator("child") }
    #expect(try child.resolve(User.self).text == "child(base)")
    #expect(try root.resolve(User.self).text == "base")
    let leaf = try child.child { Self.decorator("leaf") }
    #expect(try leaf.resolve(User.self).text == "leaf(child(base))")
  }

  @Test func r10AnOverrideReplacesWhatIsDecoratedWithItsDecorators() async throws {
    let container = try ComponentContainer {
      Self.base
      Self.decorator("deco")
    }
    let own = Component(Described.self) { _ in Described("own") }
    let child = try container.child { own }
    #expect(try Self.text(child) == "own")
    try await withOverrides {
      own
    } operation: {
      try #expect(Self.text(container) == "own")
      try await withOverrides {
        Self.decorator("test")
      } operation: {
        try #expect(Self.text(container) == "test(own)")
      }
    }
    #expect(try Self.text(container) == "deco(base)")
  }

  // MARK: - Nothing to decorate

  @Test func r10ARequiredDecoratorOverNothingIsAMissingDependency() {
    let problems = Self.problems([AnyComponent(Self.decorator("deco").named("x"))])
    #expect(problems.map(\.code) == [.missingDependency])
    #expect(
      problems.first?.message
        == "Described named \"x\" of the container decorates Described named \"x\", which nothing else "
        + "provides.")
  }

  @Test func r10AnOptionalDecoratorOverNothingIsAbsentUntilSomethingIsThere() async throws {
    let container = try ComponentContainer { Self.decorator("deco", isOptional: true) }
    #expect(try container.resolveIfPresent(Described.self) == nil)
    #expect(container.graph.components.isEmpty)
    for _ in 0..<2 {
      try container.update { $0.install { Self.base.named("other") } }
      try container.update { $0.install(Base.self) }
      #expect(try Self.text(container) == "deco(base)")
      let kept = try container.resolve(Described.self)
      #expect(try container.resolve(Described.self) === kept)
      await
        (try container.update {
          $0.remove(library: Base.name)
          $0.remove(Described.self, named: "other")
        }).value
      #expect(try container.resolveIfPresent(Described.self) == nil)
    }
  }

  @Test func r10AnOptionalDecoratorDoesNotStandOnAnotherOne() throws {
    let container = try ComponentContainer {
      Self.decorator("one", isOptional: true)
      Self.decorator("two", isOptional: true)
    }
    #expect(try container.resolveIfPresent(Described.self) == nil)
  }

  @Test func r1TwoComponentsBelowADecoratorAreADuplicateKey() {
    let problems = Self.problems([Self.base, Self.decorator("deco"), Self.base].map(AnyComponent.init))
    #expect(problems.map(\.code) == [.duplicateKey])
    #expect(
      problems.first?.message == "Described is provided by 2 components of the container.")
  }

  @Test func r3ADecoratorOfWhatDeclinesDeclinesIfItIsOptional() throws {
    let declining = Component(Described.self) { _ in throw ComponentUnavailable("Not today.") }
    let optional = try ComponentContainer {
      declining
      Self.decorator("deco", isOptional: true)
    }
    #expect(try optional.resolveIfPresent(Described.self) == nil)
    let required = try ComponentContainer {
      declining
      Self.decorator("deco")
    }
    #expect(throws: ComponentError.self) { try required.resolveIfPresent(Described.self) }
  }

  // MARK: - Changes

  @Test func r9AnUpdateAddsReplacesAndRemovesWhatIsDecorated() async throws {
    let container = try ComponentContainer { Self.base }
    try container.update { $0.install { Self.decorator("deco") } }
    #expect(try Self.text(container) == "deco(base)")
    try container.update { $0.replace { Self.decorator("upper") } }
    #expect(try Self.text(container) == "upper(deco(base))")
    try container.update { $0.replace { Component(Described.self) { _ in Described("new") } } }
    #expect(try Self.text(container) == "new")
    try container.update { $0.install { Self.decorator("deco") } }
    try container.update { $0.remove(Described.self) }
    #expect(try container.resolveIfPresent(Described.self) == nil)
  }

  @Test func r8AResetReleasesADecoratorAndWhatItDecorates() async throws {
    let created = Lock(0)
    let container = try ComponentContainer {
      Component(Described.self) { _ in
        Described("base\(created.withLock { $0 += 1; return $0 })")
      }
      Self.decorator("deco")
    }
    let child = try container.child { Self.decorator("child") }
    #expect(try Self.text(child) == "child(deco(base1))")
    try await child.reset(Described.self)
    #expect(try Self.text(child) == "child(deco(base1))")
    try await container.reset(Described.self)
    #expect(try Self.text(container) == "deco(base2)")
  }

  @Test func theGraphOfAChildShowsWhatItsDecoratorDecorates() throws {
    let child = try ComponentContainer { Self.base }.child { Self.decorator("child") }
    #expect(child.graph.components.map(\.isInherited) == [true, false])
    #expect(child.graph.components.map(\.provides) == [[], ["Described"]])
  }

  @Test func diagramsLeadFromADecoratorToWhatItDecorates() throws {
    struct User: Sendable {}
    let container = try ComponentContainer {
      Self.base
      Self.decorator("deco")
      Component(User.self, needs: .required(Described.self)) { _, _ in User() }
    }
    let arrows = container.graph.mermaid.split(separator: "\n").filter { $0.contains("-->") }
    #expect(arrows == ["  c1 -->|required| c0", "  c2 -->|required| c1"])
  }

  @Test func theProblemOfADecoratorOverNothingShowsThatItsNeedIsMissing() {
    let problems = Self.problems([AnyComponent(Self.decorator("deco"))])
    #expect(problems.first?.graph.components.first?.needs.map(\.isPresent) == [false])
  }

  // MARK: - Weak

  @Test func r2AWeakComponentOfAStructIsAnErrorOfConfiguration() {
    struct Value: Sendable {}
    let base = Component(Described.self) { _ in Described("") }.scope(.weak)
    #expect(Self.problems([AnyComponent(base)]).isEmpty)
    #expect(Self.problems([AnyComponent(base.providing((any Sendable).self) { $0 })]).isEmpty)
    let invalid = [
      AnyComponent(base.providing(Value.self) { _ in Value() }),
      AnyComponent(base.contributing(to: Value.self) { _ in Value() }),
      AnyComponent(Component(Value.self) { _ in Value() }.scope(.weak)),
    ]
    for component in invalid { #expect(Self.problems([component]).map(\.code) == [.timing]) }
  }

  @Test func r10ADecoratorThatStatesItsKeyAsANeedIsAppliedOnce() throws {
    let container = try ComponentContainer {
      Self.base
      Component.decorating(Described.self, needs: .required(Described.self), .optional(Described.self)) {
        _, inner, same, optional in
        #expect(inner === same && inner === optional)
        return Described("deco(\(inner.text))")
      }
    }
    #expect(try Self.text(container) == "deco(base)")
    #expect(try Self.text(container.child { Self.decorator("child") }) == "child(deco(base))")
  }

  /// A need that is stated as optional doesn't make the decorator optional.
  @Test func r10ARequiredDecoratorIsMissingWhatItDecoratesAlthoughItNeedsItOptionally() {
    let problems = Self.problems([
      AnyComponent(
        Component.decorating(Described.self, needs: .optional(Described.self)) { _, inner, _ in inner })
    ])
    #expect(problems.map(\.code) == [.missingDependency])
  }
}
