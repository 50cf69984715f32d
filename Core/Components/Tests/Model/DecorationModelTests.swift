import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// R10: what a decorator in a child receives. Each expectation follows from the declarations alone: a
/// decorator is applied once, to the instance that the asking container would have without it.
@Suite(.limited) struct DecorationModelTests {
  private static func conf(_ text: String) -> Component<Described> {
    Component(Described.self) { _ in Described(text) }.named("conf")
  }

  private static var service: Component<Described> {
    Component(Described.self, needs: .required(Described.self, named: "conf")) { _, conf in
      Described("base(\(conf.text))")
    }.named("svc")
  }

  private static func decorator(_ label: String) -> Component<Described> {
    Component(
      Described.self, needs: .required(Described.self, named: "svc"), .required(Described.self, named: "conf")
    ) { _, inner, conf in Described("\(label)(\(inner.text),\(conf.text))") }.named("svc")
  }

  private static func root() throws -> ComponentContainer {
    try ComponentContainer {
      conf("root")
      service
    }
  }

  private static func text(_ container: ComponentContainer) throws -> String {
    try container.resolve(Described.self, named: "svc").text
  }

  @Test func r10ADecoratorIsAppliedOnceInItsOwnChild() throws {
    let session = try Self.root().child { Self.decorator("deco") }
    #expect(try Self.text(session) == "deco(base(root),root)")
  }

  @Test func r10ADecoratorIsAppliedOnceInAGrandchildThatOverridesItsNeed() throws {
    let session = try Self.root().child { Self.decorator("deco") }
    let leaf = try session.child { Self.conf("leaf") }
    try #expect(Self.text(leaf) == "deco(base(leaf),leaf)")
  }

  @Test func r10ADecoratorSeesOverrides() async throws {
    let session = try Self.root().child { Self.decorator("deco") }
    try await withOverrides {
      Self.conf("fake")
    } operation: {
      try #expect(Self.text(session) == "deco(base(fake),fake)")
    }
  }

  @Test func r10ADecoratorBesideAnOverrideSeesIt() throws {
    let child = try Self.root().child {
      Self.conf("one")
      Self.decorator("deco")
    }
    try #expect(Self.text(child) == "deco(base(one),one)")
  }

  @Test func r10TwoDecoratorsAreAppliedOnceEachInAContainerThatOverridesTheirNeed() throws {
    let upper = try Self.root().child { Self.decorator("lower") }.child { Self.decorator("upper") }
    #expect(try Self.text(upper) == "upper(lower(base(root),root),root)")
    let leaf = try upper.child { Self.conf("leaf") }
    try #expect(Self.text(leaf) == "upper(lower(base(leaf),leaf),leaf)")
  }

  @Test func r10AContributingDecoratorIsNoCycleInAGrandchildThatOverridesItsKey() throws {
    let session = try Self.root().child {
      Self.decorator("deco").contributing(to: Described.self, named: "all") { $0 }
    }
    let leaf = try session.child { Component(Described.self) { _ in Described("own") }.named("svc") }
    #expect(try leaf.resolveAll(Described.self, named: "all").map(\.text) == ["deco(base(root),root)"])
  }
}
