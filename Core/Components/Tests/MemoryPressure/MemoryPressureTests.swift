import Foundation
import TenonTestSupport
import Testing

@testable import TenonCore

@Suite(.limited) struct MemoryPressureTests {
  /// A source of memory pressure that a test controls.
  struct Driven: MemoryPressureSource {
    let events: AsyncStream<MemoryPressure>
    let tell: AsyncStream<MemoryPressure>.Continuation
    init() { (events, tell) = AsyncStream.makeStream() }
  }

  private static func container(_ deleted: AsyncStream<Int>.Continuation) throws -> ComponentContainer {
    let created = Counter()
    return try ComponentContainer {
      Component(Motor.self) { _ in Motor(power: created.increment()) }
        .reset(.memoryPressure).onDelete { deleted.yield($0.power) }
      Component(Motor.self) { _ in Motor() }.named("stays").onDelete { _ in deleted.yield(-1) }
    }
  }

  @Test(arguments: [MemoryPressure.warning, .critical])
  func memoryPressureResetsOnlyComponentsThatDeclareIt(pressure: MemoryPressure) async throws {
    let (deletions, deleted) = AsyncStream<Int>.makeStream()
    let container = try Self.container(deleted)
    weak var motor: Motor?
    motor = try container.resolve(Motor.self)
    #expect(motor != nil)
    let stays = try container.resolve(Motor.self, named: "stays")
    let source = Driven()
    let watch = container.resetUnderMemoryPressure(source)
    source.tell.yield(pressure)
    source.tell.finish()
    await watch.value
    #expect(motor == nil)
    #expect(try container.resolve(Motor.self).power == 2)
    #expect(try container.resolve(Motor.self, named: "stays") === stays)
    deleted.finish()
    #expect(await deletions.reduce(into: []) { $0.append($1) } == [1])
  }

  @Test func theWatchDoesNotRetainItsContainerAndEndsWithIt() async throws {
    var container: ComponentContainer? = try ComponentContainer { Component(Motor.self) { _ in Motor() } }
    weak let gone = container
    let source = Driven()
    let watch = container?.resetUnderMemoryPressure(source)
    container = nil
    #expect(gone == nil)
    source.tell.yield(.warning)
    await watch?.value
  }

  @Test func theWatchEndsWhenItIsCancelledOrItsContainerIsDeleted() async throws {
    let (deletions, deleted) = AsyncStream<Int>.makeStream()
    let container = try Self.container(deleted)
    let motor = try container.resolve(Motor.self)
    let (ended, source) = (Driven(), Driven())
    let cancelled = container.resetUnderMemoryPressure(ended)
    cancelled.cancel()
    try #require(await inTime { await cancelled.value } != nil)
    ended.tell.yield(.warning)
    #expect(try container.resolve(Motor.self) === motor)
    let watch = container.resetUnderMemoryPressure(source)
    await container.delete()
    source.tell.yield(.warning)
    try #require(await inTime { await watch.value } != nil)
    deleted.finish()
    #expect(
      await deletions.reduce(into: []) { $0.append($1) } == [1], "only the deletion of the container ends it")
  }

  // MARK: - Linux's own measure

  private static func text(some: UInt64, full: UInt64) -> String {
    """
    some avg10=0.00 avg60=0.12 avg300=0.00 total=\(some)
    full avg10=0.00 avg60=0.00 avg300=0.00 total=\(full)

    """
  }

  @Test func pressureStallInformationIsRead() {
    #expect(
      PressureStall(text: Self.text(some: 12, full: 3)).map { [$0.some, $0.full] } == [12, 3])
    #expect(PressureStall(text: "some total=5").map { [$0.some, $0.full] } == [5, 0])
  }

  @Test(arguments: [
    "", "full avg10=0.00 total=3", "some avg10=0.00", "some total=x", "some total=-1", "total=4",
  ])
  func malformedPressureStallInformationIsRejected(text: String) {
    #expect(PressureStall(text: text) == nil)
  }

  @Test(
    arguments: [
      (99_999, 0, nil), (100_000, 0, .warning), (100_000, 99_999, .warning), (100_000, 100_000, .critical),
    ] as [(UInt64, UInt64, MemoryPressure?)])
  func theThresholdIsAFractionOfTheInterval(some: UInt64, full: UInt64, expected: MemoryPressure?) throws {
    let before = try #require(PressureStall(text: Self.text(some: 1_000, full: 500)))
    let now = try #require(PressureStall(text: Self.text(some: 1_000 + some, full: 500 + full)))
    #expect(now.pressure(since: before, interval: .seconds(1), threshold: 0.1) == expected)
  }

  @Test(.enabled(if: isLinux), arguments: [(true, MemoryPressure.critical), (false, .warning)])
  func theSystemsFileIsWatched(isFull: Bool, expected: MemoryPressure) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "tenon-psi-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    func write(_ total: UInt64) throws {
      try Data(Self.text(some: total, full: isFull ? total : 0).utf8).write(to: file, options: .atomic)
    }
    try write(0)
    let source = SystemMemoryPressure(file: file.path, interval: .milliseconds(1), threshold: 0.5)
    var events = source.events.makeAsyncIterator()
    try write(1_000_000)
    #expect(await events.next() == expected)
    try write(2_000_000)
    #expect(await events.next() == expected)
  }

  @Test(.enabled(if: isLinux)) func anUnreadableFileReportsNoPressure() async {
    let source = SystemMemoryPressure(file: "/absent/tenon")
    #expect(await source.events.reduce(into: []) { $0.append($1) }.isEmpty)
  }

  private static var isLinux: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }
}
