import Foundation
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// Long chains of needs, and their use of the stack.
@Suite(.limited) struct DepthTests {
  /// A component of a chain, which references the next one.
  final class Link: Sendable {
    let length: Int
    let next: Link?
    init(_ next: Link?) {
      length = (next?.length ?? 0) + 1
      self.next = next
    }
  }

  /// The kind of need by which each component of a chain depends on the next.
  enum Form: CaseIterable, Sendable {
    case few, many, optional, all, providing, declining, unique, uniqueMany, alternating
    case uniqueOptional, uniqueAll, uniqueProviding, uniqueFinishing

    /// The kinds with which each instance is created during the creation of the previous one.
    static var recursive: [Form] {
      [.unique, .uniqueMany, .uniqueOptional, .uniqueAll, .uniqueProviding, .uniqueFinishing]
    }
    /// The kinds whose cost is proportional to the chain's length. `declining` isn't one of them, because
    /// each error that reports that a component declines contains the whole path.
    static var others: [Form] { allCases.filter { !recursive.contains($0) && $0 != .declining } }

    /// Returns a chain whose first component is `c0` and whose last one calls `atEnd`.
    func chain(_ length: Int, atEnd: @escaping @Sendable () throws -> Void = {}) throws -> ComponentContainer
    {
      try ComponentContainer {
        (0..<length - 1).map { link($0) }
        Component(Link.self) { _ in
          try atEnd()
          return Link(nil)
        }.named("c\(length - 1)").contributing(to: Link.self, named: "c\(length - 1)") { $0 }
          .providing(Link?.self, named: "c\(length - 1)") { $0 }
        Component(Double.self) { _ in 1 }
        Component(Float.self) { _ in throw ComponentUnavailable("declines") }
      }
    }

    private func link(_ index: Int) -> AnyComponent {
      let (name, next) = ("c\(index)", "c\(index + 1)")
      switch self {
      case .few, .unique, .alternating, .uniqueFinishing:
        let isUnique =
          self == .unique || self == .uniqueFinishing || (self == .alternating && index.isMultiple(of: 2))
        let component = Component(Link.self, needs: .required(Link.self, named: next)) { Link($1) }
          .named(name).scope(isUnique ? .unique : .shared)
        return AnyComponent(self == .uniqueFinishing ? component.onCreate { _, _ in } : component)
      case .many, .uniqueMany:
        return AnyComponent(
          Component(
            Link.self, needs: .required(Double.self), .required(Link.self, named: next), .optional(Int.self),
            .optional(String.self)
          ) { _, _, next, _, _ in Link(next) }
          .named(name).scope(self == .uniqueMany ? .unique : .shared))
      case .optional, .uniqueOptional:
        return AnyComponent(
          Component(Link.self, needs: .optional(Link.self, named: next)) { Link($1) }.named(name)
            .scope(self == .optional ? .shared : .unique))
      case .declining:
        return AnyComponent(
          Component(Link.self, needs: .optional(Float.self), .required(Link.self, named: next)) { Link($2) }
            .named(name))
      case .all, .uniqueAll:
        return AnyComponent(
          Component(Link.self, needs: .all(Link.self, named: next)) { Link($1.first) }.named(name)
            .contributing(to: Link.self, named: name) { $0 }.scope(self == .all ? .shared : .unique))
      case .providing, .uniqueProviding:
        return AnyComponent(
          Component(Link.self, needs: .required(Link?.self, named: next)) { Link($1) }.named(name)
            .providing(Link?.self, named: name) { $0 }.scope(self == .providing ? .shared : .unique))
      }
    }
  }

  // In separate processes, because a stack overflow ends the process.

  @Test func aChainOfAnyLengthIsCreatedAndReleasedOnASmallStack() async {
    await #expect(processExitsWith: .success) {
      let length = _isDebugAssertConfiguration() ? 4_000 : 20_000
      for form in Form.others {
        let result = await onThread(stackSize: 512 * 1_024) {
          Result {
            let container = try form.chain(length)
            return try container.resolve(Link.self, named: "c0").length
          }
        }
        let created = try result.get()
        #expect(created == length)
      }
    }
  }

  @Test func aChainOfTheGreatestDepthIsCreatedOnAThreadOfTheUsualStack() async {
    await #expect(processExitsWith: .success) {
      let depth = GraphValidation.greatestDepth
      for form in Form.recursive {
        let result = await onThread { () -> Result<Int, any Error> in
          Result {
            // The last component is shared.
            let container = try form.chain(depth + 1)
            return try container.resolve(Link.self, named: "c0").length
          }
        }
        let created = try result.get()
        #expect(created == depth + 1)
      }
      let container = try Form.uniqueMany.chain(depth + 1)
      let task = Task.detached { try container.resolve(Link.self, named: "c0").length }
      let created = try await task.value
      #expect(created == depth + 1)
    }
  }

  /// Chains of `.unique` components with four needs each, every one of which ends with a component of another
  /// scope that needs the first component of the next chain.
  ///
  /// - Parameters:
  ///   - scope: the scope that separates the chains.
  ///   - length: the number of `.unique` components of a chain.
  ///   - count: the number of chains.
  ///   - created: called in each creation.
  private static func chains(
    _ scope: Scope, length: Int, count: Int, created: @escaping @Sendable () -> Void = {}
  ) -> [AnyComponent] {
    (0..<count * (length + 1)).map { index in
      AnyComponent(
        Component(
          Link.self, needs: .optional(Link.self, named: "c\(index + 1)"), .optional(Int.self),
          .optional(Float.self), .optional(Double.self)
        ) { _, next, _, _, _ in
          created()
          return Link(next)
        }.named("c\(index)").scope(index % (length + 1) == length ? scope : .unique))
    }
  }

  @Test(.deep) func chainsThatOtherScopesSeparateTakeLittleMoreOfTheStackThanOneOfThem() async {
    await #expect(processExitsWith: .success) {
      // On a small stack, and on the usual one with the longest chains that validation accepts.
      for (stackSize, count) in [(512 * 1_024, 40), (nil, 4)] {
        let length =
          stackSize.map { GraphValidation.greatestDepth(stack: $0) } ?? GraphValidation.greatestDepth
        for scope in [Scope.shared, .weak, .graph] {
          let components = Self.chains(scope, length: length, count: count)
          // The first request is for a `.unique` component, with and without a parent that has half of the
          // graph, or for one that is kept.
          for (first, half) in [(0, components.count / 2), (0, 0), (length, length)] {
            let created = try await onThread(stackSize: stackSize) {
              Result {
                let parent = try ComponentContainer { Array(components[half...]) }
                let container = half > first ? try parent.child { Array(components[first..<half]) } : parent
                return try container.resolve(Link.self, named: "c\(first)").length
              }
            }.get()
            #expect(created == components.count - first)
          }
        }
      }
    }
  }

  @Test(arguments: [Scope.shared, .weak, .graph], [true, false])
  func furtherChainsAddNoMoreToTheStackThanTheAllowance(scope: Scope, isUnique: Bool) throws {
    let length = 150
    /// Returns the greatest number of bytes of the stack that the creation of a number of chains takes.
    func bytes(_ count: Int) throws -> Int {
      let deepest = Lock(Int.max)
      let components = Self.chains(scope, length: length, count: count) {
        let place = placeOnStack()
        deepest.withLock { $0 = min($0, place) }
      }
      let first = isUnique ? 0 : length
      let container = try ComponentContainer { Array(components[first...]) }
      let start = placeOnStack()
      #expect(try container.resolve(Link.self, named: "c\(first)").length == components.count - first)
      return start - deepest.withLock { $0 }
    }
    let allowance = (StackUse.allowance + 4) * GraphValidation.bytesPerCreation
    #expect(try bytes(20) < bytes(isUnique ? 1 : 2) + allowance)
  }

  @Test(arguments: [Form.few, .many, .optional, .all, .providing])
  func anInstanceThatIsKeptTakesNoMoreOfTheStackThanTwoThatAreNot(form: Form) throws {
    let length = 8
    let end = Lock(0)
    let container = try form.chain(length) { end.withLock { $0 = placeOnStack() } }
    let start = placeOnStack()
    #expect(try container.resolve(Link.self, named: "c0").length == length)
    let bytes = (start - end.withLock { $0 }) / length
    // An additional type of an instance is a kept instance as well.
    let kept = form == .all || form == .providing ? 2 : 1
    #expect(bytes > 0)
    #expect(bytes < kept * 2 * GraphValidation.bytesPerCreation)
  }

  // Without `uniqueAll`: an instance that is collected takes somewhat more, also of the half of the stack
  // that is reserved.
  @Test(arguments: Form.recursive.filter { $0 != .uniqueAll })
  func aCreationUsesNoMoreStackThanEstimated(form: Form) throws {
    let length = 100
    let end = Lock(0)
    let container = try form.chain(length) { end.withLock { $0 = placeOnStack() } }
    let start = placeOnStack()
    #expect(try container.resolve(Link.self, named: "c0").length == length)
    let bytes = (start - end.withLock { $0 }) / length
    #expect(bytes > 0 && bytes < GraphValidation.bytesPerCreation)
  }

  @Test func theNeedsOfADeepComponentDoNotReceiveItsArguments() throws {
    struct Inner: Sendable { let text: String }
    struct Outer: Sendable { let text: String }
    let components = Self.chains(.shared, length: 50, count: 3)
    let container = try ComponentContainer {
      components
      Component(Inner.self, arguments: String.self) { _, text in Inner(text: text) }
      Component(Int.self, needs: .factory(Inner.self, taking: String.self)) { _, inner in
        try inner("inner").text.count
      }
      Component(Outer.self, needs: .required(Link.self, named: "c0"), arguments: String.self) { _, text, _ in
        Outer(text: text)
      }
    }
    #expect(container.currentWiring.slot(ComponentKey(Outer.self))?.stackUse.isDeep == true)
    for text in ["one", "two"] {
      #expect(try container.resolve(Outer.self, arguments: text).text == text)
    }
  }

  @Test func theNeedsOfADeepComponentAreCreatedInTheOrderOfTheirDeclaration() throws {
    struct Outer: Sendable {}
    let journal = Journal()
    let components = Self.chains(.shared, length: 50, count: 3) { journal.note("Link") }
    let container = try ComponentContainer {
      components
      Component(String.self) { _ in
        journal.note("String")
        return ""
      }
      Component(Bool.self) { _ in
        journal.note("Bool")
        return true
      }
      Component(Character.self) { _ in
        journal.note("Character")
        return "c"
      }
      Component(
        Outer.self, needs: .required(String.self), .required(Link.self, named: "c0"), .optional(Bool.self),
        .required(Character.self)
      ) { _, _, _, _, _ in Outer() }
    }
    #expect(container.currentWiring.slot(ComponentKey(Outer.self))?.stackUse.isDeep == true)
    _ = try container.resolve(Outer.self)
    // At the end the first chain, which isn't created beforehand because its components are `.unique`.
    #expect(journal.entries.removingRepetitions == ["String", "Link", "Bool", "Character", "Link"])
  }

  @Test func r2AChainTooLongForTheStackIsRejected() {
    let depth = GraphValidation.greatestDepth + 1
    let thrown = error(ConfigurationError.self) { try Form.unique.chain(depth + 1) }
    #expect(thrown?.problems.map(\.code) == [.depth])
    #expect(
      thrown?.problems.first?.message == """
        Link named "c0" (the container) needs Link named "c\(depth - 1)" (the container) through a chain of \(depth) \
        .unique components. Creating them inside each other would overflow the stack of a thread; at most \
        \(depth - 1) can be created.
        """)
    let middle = depth / 2 - 1
    #expect(
      thrown?.problems.first?.repairs == [
        "Break the chain: give one of them the scope .shared, or declare a need as .provider(…), for example that of "
          + "Link named \"c\(middle)\" for Link named \"c\(middle + 1)\", and ask it after creation."
      ])
  }

  @Test(arguments: Form.allCases)
  func anErrorAtTheEndOfALongChainHasItsPath(form: Form) throws {
    let length = 100
    let tries = Counter()
    let container = try form.chain(length) {
      tries.increment()
      throw Failure()
    }
    for number in 1...2 {
      let thrown = error(ComponentError.self) { try container.resolve(Link.self, named: "c0") }
      #expect(thrown?.code == .creationFailed)
      #expect(thrown?.underlying as? Failure == Failure())
      // An additional type of an instance counts as a step.
      let names = (0..<length).map { "Link named \"c\($0)\"" }
      #expect(thrown?.path.filter { !$0.hasPrefix("Link?") }.removingRepetitions == names)
      #expect(tries.value == number)
    }
  }

  @Test func aComponentThatDeclinesAtTheEndOfALongChainIsNil() throws {
    let tries = Counter()
    let length = 100
    let container = try Form.optional.chain(length) {
      tries.increment()
      throw ComponentUnavailable("not here")
    }
    #expect(try container.resolve(Link.self, named: "c0").length == length - 1)
    #expect(tries.value == 1)
  }

  @Test func weakInstancesOfALongChainAreKeptDuringTheCreation() throws {
    let created = Counter()
    let container = try ComponentContainer {
      for index in 0..<100 {
        Component(Link.self, needs: .optional(Link.self, named: "c\(index + 1)")) { _, next in
          created.increment()
          return Link(next)
        }.named("c\(index)").scope(.weak)
      }
    }
    let first = try container.resolve(Link.self, named: "c0")
    #expect(first.length == 100)
    #expect(created.value == 100)
    #expect(try container.resolve(Link.self, named: "c0") === first)
    #expect(try container.resolve(Link.self, named: "c99").next == nil)
    #expect(created.value == 100)
  }

  @Test func r10ALongChainInAChildUsesInstancesOfItsParent() throws {
    let parent = try Form.few.chain(100)
    let child = try parent.child {
      // It decorates the parent's component, so the child creates its own instances of everything before it.
      Component(Link.self, needs: .required(Link.self, named: "c60")) { Link($1) }.named("c60")
    }
    #expect(try child.resolve(Link.self, named: "c0").length == 101)
    #expect(try parent.resolve(Link.self, named: "c0").length == 100)
    #expect(try child.resolve(Link.self, named: "c61") === parent.resolve(Link.self, named: "c61"))
  }

  @Test func aLongSeriesOfOnCreateActionsRunsIteratively() throws {
    let length = 2_000
    let container = try ComponentContainer {
      for index in 0..<length {
        Component(Int.self) { _ in index }.named("c\(index)").onCreate { _, container in
          guard index + 1 < length else { return }
          _ = try container.resolve(Int.self, named: "c\(index + 1)")
        }
      }
    }
    #expect(try container.resolve(Int.self, named: "c0") == 0)
    let isCreated = container.graph.components.map(\.isCreated)
    #expect(isCreated == Array(repeating: true, count: length))
  }
}

extension [String] {
  /// The elements, without repetitions of adjacent ones.
  fileprivate var removingRepetitions: [String] {
    reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }
}

/// Returns the approximate stack pointer of the calling thread.
@inline(never) private func placeOnStack() -> Int {
  var here = 0
  return withUnsafePointer(to: &here) { Int(bitPattern: $0) }
}
