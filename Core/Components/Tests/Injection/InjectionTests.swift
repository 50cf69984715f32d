import TenonTestSupport
import Testing

@testable import TenonCore

/// `inject(into:)`: setting the properties of objects that the container didn't create.
@Suite(.limited) struct InjectionTests {
  class Base {
    @Injected private var engine: any Engine
    @Injected var primary: Int
    let plain = 0
    var baseEngine: any Engine { engine }
  }

  final class Derived: Base, InjectionExcluding {
    static var propertiesNotInjected: Set<String> { ["left"] }
    @Injected(named: "backup") var spare: Int
    @Injected var radio: (any Radio)?
    @Injected var left: Int
    var text = "mine"
  }

  private static func container() throws -> ComponentContainer {
    try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 3) }
      Component(Int.self) { _ in 1 }
      Component(Int.self) { _ in 2 }.named("Primary").automaticAliases()
      Component(Int.self) { _ in 3 }.named("backup")
      Component(Int.self) { _ in 4 }.named("spare")
    }
  }

  /// Returns the injected value of a property; `nil` if none was injected, because the current container is
  /// empty.
  private static func value<Value>(of property: Injected<Value>) throws -> Value? {
    try? ComponentContainer.withCurrent(ComponentContainer {}) { try property.get() }
  }

  @Test func propertiesAreFilledAlongTheClassHierarchyByNameOrType() throws {
    let object = Derived()
    try Self.container().inject(into: object)
    #expect(object.baseEngine.power == 3)
    // The component with the property's name takes precedence over the one without a name.
    #expect(object.primary == 2)
    // An explicit name takes precedence over the property's.
    #expect(object.spare == 3)
    #expect(object.radio == nil)
  }

  @Test func excludedAndOtherPropertiesAreUnchanged() throws {
    let object = Derived()
    try Self.container().inject(into: object, excluding: ["spare"])
    #expect(try Self.value(of: object.$left) == nil)
    #expect(try Self.value(of: object.$spare) == nil)
    #expect(try Self.value(of: object.$primary) == 2)
    #expect((object.text, object.plain) == ("mine", 0))
  }

  @Test func propertiesThatAreAlreadySetKeepTheirValue() throws {
    let object = Derived()
    object.primary = 99
    try Self.container().inject(into: object)
    #expect(object.primary == 99)
  }

  @Test func aPropertyThatCannotBeFilledIsAnErrorAndNoneIsFilled() throws {
    let object = Derived()
    let container = try ComponentContainer { Component(Int.self) { _ in 1 } }
    #expect(error(ComponentError.self) { try container.inject(into: object) }?.code == .notProvided)
    #expect(try Self.value(of: object.$primary) == nil)
    #expect(try Self.value(of: object.$spare) == nil)
  }

  @Test func r10InjectionIntoAnObjectUsesTheParentAsWell() throws {
    let child = try Self.container().child { Component(Int.self) { _ in 20 }.named("primary") }
    let object = Derived()
    try child.inject(into: object)
    #expect((object.primary, object.spare) == (20, 3))
  }

  @Test func propertiesOfStructuresAreFilled() throws {
    struct View {
      @Injected var number: Int
    }
    let view = View()
    try Self.container().inject(into: view)
    #expect(view.number == 1)
  }

  @Test func anObjectWithoutInjectedPropertiesIsAccepted() throws {
    #expect(throws: Never.self) { try Self.container().inject(into: Motor()) }
  }
}
