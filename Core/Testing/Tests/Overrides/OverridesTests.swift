import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

/// Overrides for one test, in containers that all tests share.
@Suite(.limited) struct OverridesTests {
  protocol Clock: Sendable { var now: Int { get } }

  struct FixedClock: Clock { let now: Int }

  final class Diary: Sendable {
    let clock: any Clock
    init(clock: any Clock) { self.clock = clock }
  }

  final class Archive: Sendable {}

  /// The container of a program, which all tests share.
  static let container = try! ComponentContainer {
    Component((any Clock).self) { _ in FixedClock(now: 0) }
    Component(Diary.self, needs: .required((any Clock).self)) { _, clock in Diary(clock: clock) }
    Component(Archive.self) { _ in Archive() }
  }

  @Test(
    .overrides { Component((any Clock).self) { _ in FixedClock(now: 1) } }, arguments: 0..<20)
  func aTestSeesItsOverrideAndWhatNeedsItIsMadeAnew(round: Int) throws {
    #expect(try Self.container.resolve((any Clock).self).now == 1)
    let diary = try Self.container.resolve(Diary.self)
    #expect(diary.clock.now == 1)
    #expect(try Self.container.resolve(Diary.self) === diary)
  }

  @Test(
    .overrides { Component((any Clock).self) { _ in FixedClock(now: 2) } }, arguments: 0..<20)
  func anotherTestSeesAnother(round: Int) async throws {
    #expect(try Self.container.resolve(Diary.self).clock.now == 2)
    let inChildTask = await Task { try? Self.container.resolve(Diary.self).clock.now }.value
    #expect(inChildTask == 2)
    let detached = await Task.detached { try? Self.container.resolve(Diary.self).clock.now }.value
    #expect(detached == 0)
  }

  @Test(arguments: 0..<20)
  func aTestWithoutOverridesUsesTheContainer(round: Int) throws {
    #expect(try Self.container.resolve(Diary.self).clock.now == 0)
  }

  @Test(.overrides { Component((any Clock).self) { _ in FixedClock(now: 3) } })
  func keysThatAreNotOverriddenResolveInTheContainer() async throws {
    let archive = try Self.container.resolve(Archive.self)
    let outside = await Task.detached { try? Self.container.resolve(Archive.self) }.value
    #expect(archive === outside)
  }

  @Test(.overrides { Component((any Clock).self) { _ in FixedClock(now: 4) } })
  func handlesProvidersAndOptionalLookUpsUseTheOverride() throws {
    #expect(try Self.container.handle((any Clock).self).with { $0.now } == 4)
    #expect(try Self.container.resolveIfPresent((any Clock).self)?.now == 4)
  }

  @Test func aHandleUsedBeforeUsesTheOverride() async throws {
    let handle = Self.container.handle((any Clock).self)
    #expect(try handle.with { $0.now } == 0)
    try await withOverrides {
      Component((any Clock).self) { _ in FixedClock(now: 5) }
    } operation: {
      let found = try handle.with { $0.now }
      #expect(found == 5)
    }
    #expect(try handle.with { $0.now } == 0)
  }

  @Test func instancesCreatedForTheTestAreDeletedWithIt() async throws {
    let deleted = Lock(0)
    weak var held: Diary?
    try await withOverrides {
      Component((any Clock).self) { _ in FixedClock(now: 6) }.onDelete { _ in deleted.withLock { $0 += 1 } }
    } operation: {
      held = try Self.container.resolve(Diary.self)
      #expect(held != nil)
    }
    #expect(deleted.withLock { $0 } == 1)
    #expect(held == nil)
  }

  @Test func overridesCanBeNested() async throws {
    try await withOverrides {
      Component((any Clock).self) { _ in FixedClock(now: 7) }
      Component(Archive.self) { _ in Archive() }
    } operation: {
      try await withOverrides {
        Component((any Clock).self) { _ in FixedClock(now: 8) }
      } operation: {
        let found = try Self.container.resolve(Diary.self).clock.now
        #expect(found == 8)
        let outside = await Task.detached { try? Self.container.resolve(Archive.self) }.value
        let archive = try Self.container.resolve(Archive.self)
        #expect(archive !== outside)
      }
      let found = try Self.container.resolve(Diary.self).clock.now
      #expect(found == 7)
    }
  }

  /// What the outer override also replaces isn't the live component again.
  @Test func anInnerOverrideOfOneTypeLeavesTheOthersOfAnOuterOverride() async throws {
    struct Fake: Sendable { let archive = Archive() }
    let live = try Self.container.resolve(Archive.self)
    try await withOverrides {
      Component(Fake.self) { _ in Fake() }
        .providing((any Clock).self) { _ in FixedClock(now: 12) }
        .providing(Archive.self) { $0.archive }
        .contributing(to: Int.self) { _ in 12 }
    } operation: {
      try await withOverrides {
        Component((any Clock).self) { _ in FixedClock(now: 13) }
      } operation: {
        try #expect(Self.container.resolve((any Clock).self).now == 13)
        let archive = try Self.container.resolve(Archive.self)
        #expect(archive !== live)
        try await withOverrides {
          Component(Archive.self) { _ in Archive() }
          Component(Fake.self) { _ in Fake() }
        } operation: {
          try #expect(Self.container.resolve((any Clock).self).now == 13)
          try #expect(Self.container.resolveAll(Int.self) == [12])
        }
      }
      try #expect(Self.container.resolve((any Clock).self).now == 12)
    }
  }

  @Test func aDeletedAppSaysSoToATestWithOverrides() async throws {
    let app = try App.configure(name: "overrides-deleted", libraries: []) {
      Component((any Clock).self) { _ in FixedClock(now: 0) }
    }
    try await withOverrides {
      Component((any Clock).self) { _ in FixedClock(now: 14) }
    } operation: {
      try #expect(app.resolve((any Clock).self).now == 14)
      await app.delete()
      let error = #expect(throws: ComponentError.self) { try app.resolve((any Clock).self) }
      #expect(error?.code == .appDeleted)
      #expect(error?.reason == "any Clock can't be resolved: the app \"overrides-deleted\" was deleted.")
    }
  }

  @Test func anOverrideOfTheWrongTypeIsReported() async throws {
    try await withOverrides {
      Component((any Clock).self, needs: .required(Int.self)) { _, now in FixedClock(now: now) }
    } operation: {
      let error = #expect(throws: ConfigurationError.self) { try Self.container.resolve((any Clock).self) }
      #expect(error?.problems.map(\.code) == [.missingDependency])
    }
  }

  @Test func appsAreOverriddenLikeContainers() async throws {
    enum Shop: Library {
      static let name = "overrides-shop"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] {
        Component(String.self, needs: .optional((any AuthInterop).self)) { _, auth in
          auth == nil ? "nobody" : "somebody"
        }
      }
    }
    let app = try App.configure(
      name: "overrides", options: AppOptions(projectID: "p", data: .memory), libraries: [Shop.self])
    #expect(try app.resolve(String.self) == "nobody")
    try await withOverrides {
      Component((any AuthInterop).self) { _ in FakeAuth() }
    } operation: {
      let found = try app.resolve(String.self)
      #expect(found == "somebody")
    }
    #expect(try app.resolve(String.self) == "nobody")
    await app.delete()
  }

  // MARK: - Refusing other keys

  @Test(
    .overrides(others: .refused(except: Diary.self)) {
      Component((any Clock).self) { _ in FixedClock(now: 9) }
    })
  func whatIsOverriddenOrAllowedIsReachedWhereTheRestIsRefused() throws {
    #expect(try Self.container.resolve(Diary.self).clock.now == 9)
  }

  @Test func resolvingAKeyThatIsNotOverriddenFailsTheTest() async throws {
    try await withKnownIssue {
      try await withOverrides(others: .refused(except: Diary.self)) {
      } operation: {
        let error = #expect(throws: ComponentError.self) { try Self.container.resolve(Diary.self) }
        #expect(error?.code == .notOverridden)
        #expect(error?.component == "any Clock")
      }
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("was reached, but the test doesn't override it") }
    }
  }

  /// There, Swift Testing assigns the issue to no test.
  @Test func whatIsRefusedInADetachedTaskNamesItsTest() async throws {
    try await withOverrides(others: .refused()) {
    } operation: {
      await withEscapedOverrides { overrides in
        await Task.detached {
          withKnownIssue {
            overrides.yield {
              let error = #expect(throws: ComponentError.self) { try Self.container.resolve(Diary.self) }
              #expect(error?.code == .notOverridden)
            }
          } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("whatIsRefusedInADetachedTaskNamesItsTest") }
              && issue.sourceLocation?.fileName == "OverridesTests.swift"
          }
        }.value
      }
    }
  }

  /// A child that an instance of the test creates would otherwise create the live component.
  @Test func whatIsRefusedIsRefusedInAChildOfTheAnsweringContainer() async throws {
    try await withKnownIssue {
      try await withOverrides(others: .refused()) {
        Component(String.self) { _ in "" }.onCreate { _, container in
          let child = try container.child { Component((any Clock).self) { _ in FixedClock(now: 15) } }
          let error = #expect(throws: ComponentError.self) { try child.resolve(Diary.self) }
          #expect(error?.code == .notOverridden)
        }
      } operation: {
        _ = try Self.container.resolve(String.self)
      }
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("was reached, but the test doesn't override it") }
    }
  }

  // MARK: - Overrides of a suite

  @Suite(.overrides { Component((any Clock).self) { _ in FixedClock(now: 10) } })
  struct OfASuite {
    @Test func overridesOfASuiteApplyToItsTests() throws {
      #expect(try container.resolve(Diary.self).clock.now == 10)
    }

    @Test(.overrides { Component((any Clock).self) { _ in FixedClock(now: 11) } })
    func overridesOfATestReplaceThoseOfItsSuite() throws {
      #expect(try container.resolve(Diary.self).clock.now == 11)
    }
  }
}
