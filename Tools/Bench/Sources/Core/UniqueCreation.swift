import TenonCore

/// Creates new objects with all of their dependencies. The initializers aren't inlined on either side,
/// because in an app they are in other modules.
enum UniqueCreation {
  static func measure(_ comparison: Comparison) throws -> [Measurement] {
    try groups().map(comparison.callAsFunction)
  }

  /// Each measurement with the contenders to which it is compared.
  static func groups() throws -> [[Contender]] {
    let container = try ComponentContainer {
      Component(Counter.self) { _ in Counter(step: 1) }.scope(.unique)
      Chain.components
      Tree.components
    }
    return [
      [
        Contender(name: "unique") { count in
          made(count) { try? container.resolve(Counter.self) }
        },
        Contender(name: "constructor") { count in made(count) { Counter(step: 1) } },
      ],
      [
        Contender(name: "unique-10-deep") { count in
          made(count) { try? container.resolve(Chain.Level10.self) }
        },
        Contender(name: "constructor") { count in made(count) { Chain.byHand() } },
      ],
      [
        Contender(name: "unique-31-nodes") { count in made(count) { try? container.resolve(Tree.Root.self) }
        },
        Contender(name: "constructor") { count in made(count) { Tree.byHand() } },
      ],
    ]
  }

  @inline(__always)
  private static func made<Value: AnyObject>(_ count: Int, _ make: () -> Value?) -> Int {
    var sum = 0
    for _ in 0..<count {
      if let value = make() {
        keep(value)
        sum &+= 1
      }
    }
    return sum
  }
}

/// Ten classes, each of which depends on the one before.
enum Chain {
  final class Level1: Sendable {
    @inline(never) init() {}
  }
  final class Level<Below: Sendable>: Sendable {
    let below: Below
    @inline(never) init(_ below: Below) { self.below = below }
  }
  typealias Level2 = Level<Level1>
  typealias Level3 = Level<Level2>
  typealias Level4 = Level<Level3>
  typealias Level5 = Level<Level4>
  typealias Level6 = Level<Level5>
  typealias Level7 = Level<Level6>
  typealias Level8 = Level<Level7>
  typealias Level9 = Level<Level8>
  typealias Level10 = Level<Level9>

  @inline(never) static func byHand() -> Level10 {
    Level(Level(Level(Level(Level(Level(Level(Level(Level(Level1())))))))))
  }

  @ComponentBuilder static var components: [AnyComponent] {
    Component(Level1.self) { _ in Level1() }.scope(.unique)
    Component(Level2.self, needs: .required(Level1.self)) { _, below in Level(below) }.scope(.unique)
    Component(Level3.self, needs: .required(Level2.self)) { _, below in Level(below) }.scope(.unique)
    Component(Level4.self, needs: .required(Level3.self)) { _, below in Level(below) }.scope(.unique)
    Component(Level5.self, needs: .required(Level4.self)) { _, below in Level(below) }.scope(.unique)
    Component(Level6.self, needs: .required(Level5.self)) { _, below in Level(below) }.scope(.unique)
    Component(Level7.self, needs: .required(Level6.self)) { _, below in Level(below) }.scope(.unique)
    Component(Level8.self, needs: .required(Level7.self)) { _, below in Level(below) }.scope(.unique)
    Component(Level9.self, needs: .required(Level8.self)) { _, below in Level(below) }.scope(.unique)
    Component(Level10.self, needs: .required(Level9.self)) { _, below in Level(below) }.scope(.unique)
  }
}

/// A tree of five levels with two dependencies per node: 31 nodes, whose types differ by their places.
enum Tree {
  final class Leaf<Place>: Sendable {
    @inline(never) init() {}
  }
  final class Branch<Place, A: Sendable, B: Sendable>: Sendable {
    let left: A
    let right: B
    @inline(never) init(_ left: A, _ right: B) {
      self.left = left
      self.right = right
    }
  }
  enum L<Place> {}
  enum R<Place> {}
  typealias Pair<P> = Branch<P, Leaf<L<P>>, Leaf<R<P>>>
  typealias Four<P> = Branch<P, Pair<L<P>>, Pair<R<P>>>
  typealias Eight<P> = Branch<P, Four<L<P>>, Four<R<P>>>
  typealias Root = Branch<Never, Eight<L<Never>>, Eight<R<Never>>>

  @inline(__always) private static func pair<P>(_: P.Type) -> Pair<P> { Branch(Leaf(), Leaf()) }
  @inline(__always) private static func four<P>(_: P.Type) -> Four<P> {
    Branch(pair(L<P>.self), pair(R<P>.self))
  }
  @inline(__always) private static func eight<P>(_: P.Type) -> Eight<P> {
    Branch(four(L<P>.self), four(R<P>.self))
  }

  @inline(never) static func byHand() -> Root { Branch(eight(L<Never>.self), eight(R<Never>.self)) }

  @inline(__always)
  private static func leaf<P>(_: P.Type) -> [AnyComponent] {
    [AnyComponent(Component(Leaf<P>.self) { _ in Leaf() }.scope(.unique))]
  }

  @inline(__always)
  private static func branch<P, A: Sendable, B: Sendable>(_: Branch<P, A, B>.Type) -> [AnyComponent] {
    [
      AnyComponent(
        Component(Branch<P, A, B>.self, needs: .required(A.self), .required(B.self)) { _, left, right in
          Branch(left, right)
        }.scope(.unique)
      )
    ]
  }

  @inline(__always)
  private static func pairs<P>(_: P.Type) -> [AnyComponent] {
    leaf(L<P>.self) + leaf(R<P>.self) + branch(Pair<P>.self)
  }

  @inline(__always)
  private static func fours<P>(_: P.Type) -> [AnyComponent] {
    pairs(L<P>.self) + pairs(R<P>.self) + branch(Four<P>.self)
  }

  @inline(__always)
  private static func eights<P>(_: P.Type) -> [AnyComponent] {
    fours(L<P>.self) + fours(R<P>.self) + branch(Eight<P>.self)
  }

  static var components: [AnyComponent] {
    eights(L<Never>.self) + eights(R<Never>.self) + branch(Root.self)
  }
}
