import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonValues
import Testing

@testable import TenonEmbedded

/// What functions have received, in order.
final class Received: Sendable {
  private let texts = Lock<[String]>([])
  var all: [String] { texts.withLock { $0 } }
  func add(_ text: String) { texts.withLock { $0.append(text) } }
}

/// Returns the field `n`; -1 if there is none.
private func number(_ fields: Fields?) -> Int64 {
  if case .integer(let number)? = fields?["n"] { number } else { -1 }
}

@Suite(.limited) struct DocumentEventTests {
  private let embedded = Embedded(projectID: "demo", directory: nil)
  private let received = Received()

  @Test func eachWriteCallsTheFunctionsForIt() async throws {
    try embedded.onDocumentCreated("c", "rooms/{room}") { [received] event in
      received.add(
        "created \(event.data.path) \(event.params["room"] ?? "") \(number(event.data.fields))")
    }
    try embedded.onDocumentUpdated("u", "rooms/{room}") { [received] event in
      received.add(
        "updated \(number(event.data.before.fields)) \(number(event.data.after.fields))")
    }
    try embedded.onDocumentDeleted("d", "rooms/{room}") { [received] event in
      received.add("deleted \(event.data.path) \(number(event.data.fields))")
    }
    try embedded.onDocumentWritten("w", "rooms/{room}") { [received] event in
      received.add("written \(event.data.before == nil) \(event.data.after == nil)")
    }
    let documents = embedded.documents()
    try await documents.set("rooms/den", ["n": 1])
    try await embedded.waitForPendingEvents()
    #expect(Set(received.all) == ["created rooms/den den 1", "written true false"])
    try await documents.set("rooms/den", ["n": 2])
    try await embedded.waitForPendingEvents()
    #expect(Set(received.all.dropFirst(2)) == ["updated 1 2", "written false false"])
    // A write without effect, and one elsewhere.
    try await documents.set("rooms/den", ["n": 2])
    try await documents.set("rooms/den/chairs/a", ["n": 2])
    try await documents.delete("rooms/attic")
    try await documents.delete("rooms/den")
    try await embedded.waitForPendingEvents()
    #expect(Set(received.all.dropFirst(4)) == ["deleted rooms/den 2", "written false true"])
    await embedded.close()
  }

  @Test func aWaitForTheEventsCanBeCancelled() async throws {
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    try embedded.onDocumentCreated("c", "rooms/{room}") { _ in
      begin.yield()
      for await _ in ended {}
    }
    try await embedded.documents().set("rooms/den", ["n": 1])
    for await _ in begun { break }
    // Cancelled before, while and after the wait begins.
    for steps in 0..<50 {
      let waiting = Task { [embedded] in try await embedded.waitForPendingEvents() }
      for _ in 0..<steps { await Task.yield() }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
    end.finish()
    await embedded.close()
  }

  @Test func eventsOfADocumentArriveInTheOrderOfItsWrites() async throws {
    try embedded.onDocumentWritten("w", "rooms/{room}") { [received] event in
      // The first event takes longest.
      if event.data.before == nil { await Task.yield() }
      received.add("\(event.params["room"] ?? "")\(number(event.data.after?.fields))")
    }
    for number in 0..<20 {
      for room in ["a", "b"] {
        try await embedded.documents().set("rooms/\(room)", ["n": .integer(Int64(number))])
      }
    }
    try await embedded.waitForPendingEvents()
    for room in ["a", "b"] {
      #expect(received.all.filter { $0.hasPrefix(room) } == (0..<20).map { "\(room)\($0)" })
    }
    await embedded.close()
  }

  @Test func aFunctionThatThrowsIsCalledAgainBeforeLaterEventsOfTheDocument() async throws {
    struct Failure: Error {}
    try embedded.onDocumentWritten(
      "w", "rooms/{room}", retry: RetryConfig(minBackoff: .milliseconds(5))
    ) { [received] event in
      received.add("\(number(event.data.after?.fields)) \(event.attempt)")
      if event.attempt < 3, event.data.before == nil { throw Failure() }
    }
    try await embedded.documents().commit([.set("rooms/den", ["n": 1])])
    try await embedded.documents().commit([.set("rooms/den", ["n": 2])])
    try await embedded.waitForPendingEvents()
    #expect(received.all == ["1 1", "1 2", "1 3", "2 1"])
    #expect(try await embedded.failedEvents() == [])
    await embedded.close()
  }

  @Test func anEventThatFailsIsListedAndDoesNotHoldUpOthersOfItsDocument() async throws {
    let isBroken = Lock(true)
    try embedded.onDocumentWritten(
      "w", "rooms/{room}", retry: RetryConfig(retryCount: 2, minBackoff: .milliseconds(5))
    ) { [received] event in
      if event.data.before == nil, isBroken.withLock({ $0 }) {
        throw CallableError(.unavailable, "The room is locked.")
      }
      received.add("\(number(event.data.after?.fields))")
    }
    try await embedded.documents().set("rooms/den", ["n": 1])
    try await embedded.documents().set("rooms/den", ["n": 2])
    try await embedded.waitForPendingEvents()
    #expect(received.all == ["2"])
    let failed = try await embedded.failedEvents()
    #expect(failed.map(\.attempts) == [3])
    let event = try #require(failed.first)
    #expect(event.function == "w" && event.subject == "rooms/den")
    #expect(event.type == "google.cloud.firestore.document.v1.created")
    #expect(event.error == "The room is locked. (UNAVAILABLE)")
    isBroken.withLock { $0 = false }
    #expect(try await embedded.retryFailedEvent(event.id))
    try await embedded.waitForPendingEvents()
    #expect(received.all == ["2", "1"])
    #expect(try await embedded.failedEvents() == [])
    #expect(try await !embedded.retryFailedEvent(event.id))
    await embedded.close()
  }

  @Test func aFunctionThatDoesNotReturnInTimeHasFailed() async throws {
    try embedded.onDocumentCreated(
      "slow", "rooms/{room}", retry: .never, timeout: .milliseconds(20)
    ) { _ in try await Task.sleep(for: .seconds(600)) }
    try await embedded.documents().set("rooms/den", [:])
    try await embedded.waitForPendingEvents()
    let failed = try await embedded.failedEvents()
    #expect(failed.map(\.error) == ["The function slow didn't end within 0.02 seconds. (DEADLINE_EXCEEDED)"])
    await embedded.close()
  }

  @Test func eventsOfABackendThatEndedAreHandledByTheNextOne() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = Backend(directory: directory.path).embedded
    let begun = AsyncStream<Void>.makeStream()
    try first.onDocumentCreated("w", "rooms/{room}") { _ in
      begun.continuation.yield()
      try await Task.sleep(for: .seconds(600))
    }
    try await first.documents().set("rooms/den", ["n": 1])
    for await _ in begun.stream { break }
    await first.close()
    let second = Backend(directory: directory.path).embedded
    // A write of a process without functions is recorded for those of others.
    try await second.documents().set("rooms/attic", ["n": 2])
    try second.onDocumentCreated("w", "rooms/{room}") { [received] event in
      received.add("\(event.subject) \(event.attempt)")
    }
    try await second.waitForPendingEvents()
    #expect(Set(received.all) == ["rooms/den 1", "rooms/attic 1"])
    await second.close()
  }

  @Test func writesOfOtherProcessesAreEvents() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = Backend(directory: directory.path).embedded
    let second = Backend(directory: directory.path).embedded
    try first.onDocumentCreated("w", "rooms/{room}") { [received] event in received.add(event.subject) }
    try await first.documents().set("rooms/den", [:])
    try await second.documents().set("rooms/attic", [:])
    try await eventually { Set(received.all) == ["rooms/den", "rooms/attic"] }
    await first.close()
    await second.close()
  }

  @Test func aWriteThatIsRejectedIsNoEvent() async throws {
    try embedded.onDocumentCreated("w", "rooms/{room}") { [received] event in received.add(event.subject) }
    await #expect(throws: (any Error).self) {
      try await embedded.documents().commit([.set("rooms/den", [:]), .update("rooms/none", ["n": 1])])
    }
    try await embedded.waitForPendingEvents()
    #expect(received.all == [])
    await embedded.close()
  }

  @Test func aRemovedFunctionIsNotCalled() async throws {
    try embedded.onDocumentCreated("w", "rooms/{room}") { [received] event in received.add(event.subject) }
    try await embedded.documents().set("rooms/den", [:])
    try await embedded.waitForPendingEvents()
    try await embedded.removeFunction("w")
    try await embedded.documents().set("rooms/attic", [:])
    try embedded.onDocumentCreated("w", "rooms/{room}") { [received] event in received.add("new") }
    try await embedded.waitForPendingEvents()
    #expect(received.all == ["rooms/den"])
    await embedded.close()
  }

  @Test(arguments: [
    ("rooms", "even number"), ("rooms/{room", "{room"), ("rooms/{}", "{}"), ("rooms//{a}", "empty segment"),
    ("{a}/{a}", "two wildcards"), ("rooms/{a=***}", "{a=***}"), ("rooms/x*", "x*"),
    ("{a=**}/{b=**}", "only one wildcard"), ("rooms/{a b}", "{a b}"), ("", "empty segment"),
  ])
  func aWrongPatternIsAnErrorThatNamesIt(pattern: String, problem: String) throws {
    let error = #expect(throws: FunctionRegistrationError.self) {
      try embedded.onDocumentCreated("w", pattern) { _ in }
    }
    #expect(error?.code == .invalidPath)
    #expect(error?.message.contains("\"\(pattern)\"") == true && error?.message.contains(problem) == true)
  }

  @Test func twoFunctionsOfOneNameAreAnError() throws {
    try embedded.onDocumentCreated("w", "rooms/{room}") { _ in }
    try embedded.onRequest("r") { _ in FunctionResponse() }
    embedded.onCall("c") { (_: CallableRequest<Int>) in 1 }
    for name in ["w", "r", "c"] {
      let error = #expect(throws: FunctionRegistrationError.self) {
        try embedded.onUserCreated(name) { _ in }
      }
      #expect(error?.code == .alreadyExists && error?.message.contains("name \(name) is") == true)
      #expect(throws: FunctionRegistrationError.self) {
        try embedded.onRequest(name) { _ in FunctionResponse() }
      }
    }
    for name in ["", "1a", "a b", "a/b", "é", String(repeating: "a", count: 63)] {
      let error = #expect(throws: FunctionRegistrationError.self) {
        try embedded.onDocumentCreated(name, "rooms/{room}") { _ in }
      }
      #expect(error?.code == .invalidName)
    }
  }

  @Test func wildcardsMatchSegments() throws {
    func match(_ pattern: String, _ path: String) throws -> [String: String]? {
      try DocumentPathPattern(pattern).match(PresentDocuments.path(path))
    }
    #expect(try match("users/{uid}/notes/{note}", "users/ada/notes/1") == ["uid": "ada", "note": "1"])
    #expect(try match("users/{uid}/notes/{note}", "users/ada") == nil)
    #expect(try match("users/{uid}", "users/ada/notes/1") == nil)
    #expect(try match("users/ada", "users/ada") == [:])
    #expect(try match("users/ada", "users/bob") == nil)
    #expect(try match("users/{rest=**}", "users/ada/notes/1") == ["rest": "ada/notes/1"])
    #expect(try match("{a=**}/notes/{n=*}", "users/ada/notes/1") == ["a": "users/ada", "n": "1"])
    #expect(try match("users/{rest=**}", "rooms/ada") == nil)
  }
}
