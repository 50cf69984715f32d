import Foundation
import TenonTestSupport
import Testing

@testable import tenon

/// The rules about interop modules as seams: who implements them, who uses them, and what components need.
@Suite(.limited) struct ContractRulesTests {
  @Test(
    arguments: [
      (
        "Interop/Mail/Sources/Mail.swift", "public protocol MailInterop: Sendable {}",
        [
          "no product implements MailInterop [interop-has-one-implementation]",
          "no product uses MailInterop, except for those that implement it [interop-has-a-consumer]",
        ]
      ),
      (
        "Products/Auth/Sources/Twice.swift",
        "extension Auth: @preconcurrency Sendable, TenonAuthInterop.AuthInterop {}",
        []
      ),
      (
        "Products/Functions/Sources/Twice.swift", "struct Own: Sendable, AuthInterop {}",
        [
          "AuthInterop is implemented by several products: Auth, Functions [interop-has-one-implementation]",
          "no product uses AuthInterop, except for those that implement it [interop-has-a-consumer]",
        ]
      ),
      // A constraint is no conformance.
      ("Products/Functions/Sources/A.swift", "extension Cache: Hashable where Value: AuthInterop {}", []),
      (
        "Interop/Auth/Sources/Extra.swift", "extension AuthInterop {\n  public var isIn: Bool { true }\n}",
        [
          "an interop gives AuthInterop a default behaviour, which hides what an implementation lacks; make it a requirement [interop-without-default-behaviour]"
        ]
      ),
      (
        "Interop/Auth/Sources/Extra.swift", "public enum A {\n  public static func b() {}\n}",
        ["an interop has a func with a body; it runs nothing [interop-holds-interfaces]"]
      ),
    ])
  func theSeamsOfInteropsAreChecked(path: String, text: String, expected: [String]) throws {
    // The repairs follow in separate lines.
    let found = try LintFixture.findings([path: text]).map { String($0.prefix { $0 != "\n" }) }
    #expect(found.map { $0.split(separator: "error: ").last.map(String.init) ?? $0 } == expected)
  }

  @Test(
    arguments: [
      ".optional(HTTPClient.self)", ".required(AuthState.self)", ".all((any Clock).self)",
      ".optionalProvider( (any Clock).self)", ".deferred(Other.Part.self)",
    ])
  func aNeedThatIsNoInterfaceOfAnInteropIsFound(need: String) throws {
    let found = try LintFixture.findings([
      "Core/Components/Sources/App/Clock.swift": "public protocol Clock {}\npublic struct HTTPClient {}",
      "Products/Functions/Sources/A.swift":
        "let a = Component(\n  A.self, needs: .optional((any AuthInterop).self),\n  \(need)) {}",
    ])
    #expect(found.count == 1)
    #expect(
      found.first?.contains("Products/Functions/Sources/A.swift:3: error: a component of Functions needs ")
        == true
        && found.first?.contains("[needs-are-interfaces]") == true, "\(found)")
  }

  @Test(
    arguments: [
      // An interop of another package, the product's own types, and a dependency outside of a component.
      ".optional((any MailInterop).self)", ".required(Cache.self)", ".provider((any Storing).self)", "",
    ])
  func interfacesAndOwnTypesMayBeNeeded(need: String) throws {
    let text = """
      protocol Storing {}
      let a = Component(A.self, needs: \(need)) { try Cache() }
      let b = list.optional(HTTPClient.self)
      """
    #expect(try LintFixture.findings(["Products/Functions/Sources/A.swift": text]) == [])
  }

  /// The parameters are those of a function in another file of the module.
  @Test(
    arguments: [
      ("from: Shop.init(auth:clock:)", "any Clock"), ("from: Shop.init(urls:)", "HTTPClient"),
      ("from: Outer.Shop.init(_:)", "AuthState"), ("from: Goods.init(client:)", "HTTPClient"),
      ("from: makeClock", "any Clock"), ("from: makeShop(client:)", "HTTPClient"),
      ("from: Maker().parts(of:)", "AuthState"), ("from: Maker.many", "HTTPClient"),
      ("from: Shop.init(auth:clock:), needs: .inferred, .named(\"utc\")", "any Clock"),
      (".onMainActor(from: Shop.init(urls:))", "HTTPClient"),
      ("from: { (auth: any AuthInterop, clock: (any Clock)?) throws in Shop() }", "any Clock"),
      (" { @Sendable [a] (state: Provider<[AuthState]>) -> Shop in Shop() }", "AuthState"),
    ])
  func anInferredNeedThatIsNoInterfaceIsFound(declaration: String, type: String) throws {
    let declared = declaration.hasPrefix("from") ? "(\(declaration)).scope(.unique)" : declaration
    let found = try LintFixture.findings(
      Self.shop.merging([
        "Products/Functions/Sources/A.swift":
          "let a = [\n  Component\(declared),\n  Component(from: Self.known)]"
      ]) { $1 })
    #expect(
      found == [
        "Products/Functions/Sources/A.swift:2: error: a component of Functions needs \(type), which is neither an interface of an interop module nor declared by Functions [needs-are-interfaces]"
      ])
  }

  @Test(
    arguments: [
      // What may be needed, in every form of a need.
      "from: Goods.init(known:other:)", "from: Shop.init(known:factory:)",
      "from: { (auth: any AuthInterop) in Shop() }",
      // What the rule doesn't see.
      "from: makeSeveral(_:)", "from: makeShop", "from: { clock in Shop(clock) }", "from: elsewhere(clock:)",
      "from: Goods.init",
      "from: withAction(_:)",
    ])
  func otherParametersAreNoFindings(declaration: String) throws {
    let found = try LintFixture.findings(
      Self.shop.merging(["Products/Functions/Sources/A.swift": "let a = Component(\(declaration))"]) { $1 })
    #expect(found == [])
  }

  private static let shop = [
    "Core/Components/Sources/App/Clock.swift": "public protocol Clock {}\npublic struct HTTPClient {}",
    "Products/Functions/Sources/Shop.swift": """
    final class Shop {
      init(auth: any AuthInterop, clock: any Clock) {}
      init(known: borrowing Cache, factory: @escaping Factory<Cache, Int>) {}
      convenience init(urls client: [HTTPClient] = [.init(urls: 3)]) { self.init(auth: a, clock: b) }
    }
    enum Outer {
      final class Shop {}
    }
    extension Outer.Shop { init(_ state: AuthState) {} }
    struct Goods {
      let client: HTTPClient
      var known: Cache?
      let other: Optional<any AuthInterop>
      var count: Int { let hidden: Int = 1; return hidden }
      struct Inner { init() {} }
    }
    struct Maker {
      func parts(of state: AuthState?) -> [Int] { [] }
      static func many<T>(client: Deferred<HTTPClient>) -> T { fatalError() }
    }
    func known(cache: TenonFunctions.Cache) {}
    func makeClock(clock: any Clock) {}
    func makeShop(clock: any Clock) {}
    func makeShop(client: HTTPClient) {}
    func makeSeveral(_ client: HTTPClient) {}
    func makeSeveral(_ client: any Clock) {}
    func withAction(_ action: @Sendable (HTTPClient) -> Void) {}

    """,
  ]

  @Test func anExceptionSilencesItsRuleInItsFilesOnly() throws {
    var configuration = try LintFixture.configuration()
    configuration.exceptions.append(
      .init(rule: InteropHasOneImplementation.id, path: "Interop/Mail/", reason: "apps implement it"))
    let text = "public protocol MailInterop: Sendable {}"
    let found = try LintFixture.findings(
      [
        "Interop/Mail/Sources/Mail.swift": text,
        "Interop/Post/Sources/Post.swift": text.replacing("Mail", with: "Post"),
      ],
      configuration)
    #expect(found.count { $0.contains("[interop-has-one-implementation]") } == 1)
    #expect(found.count { $0.contains("[interop-has-a-consumer]") } == 2)
  }

  @Test func theExceptionsThatFindingsProposeSilenceThem() throws {
    let files = ["Interop/Mail/Sources/Mail.swift": "public protocol MailInterop: Sendable {}"]
    let found = try LintFixture.findings(files)
    let proposed = found.compactMap { $0.firstMatch(of: /"exceptions" in \.tenon-lint\.json: (.*)/)?.1 }
    #expect(found.count == 2 && proposed.count == 2, "\(found)")
    var configuration = try LintFixture.configuration()
    configuration.exceptions += try LintConfiguration(
      json: Data("{\"exceptions\": [\(proposed.joined(separator: ","))]}".utf8)
    ).exceptions
    #expect(try LintFixture.findings(files, configuration) == [])
  }

  @Test func everyRuleHasAnIdentifierOfItsOwnAndIsListed() {
    let ids = Lint.rules.map { $0.id }
    #expect(Set(ids).count == ids.count)
    let list = LintCommand.list()
    for rule in Lint.rules {
      #expect(
        rule.id.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil && list.contains("\(rule.id): \(rule.summary)"))
    }
  }
}
