import Foundation
import Hummingbird
import InMemoryLogging
import Logging
import ServerAdapters
import ServiceLifecycle
import TenonCore
import TenonEmbedded
import TenonStore
import TenonTestSupport
import TenonTesting
import TenonTransportInterop
import Testing

@testable import notes_server

/// What a process does that is asked to end.
@Suite(.limited) struct ShutdownTests {
  /// Returns the texts of all notes that the backend of a folder has, as a new app of another device sees them.
  private func notes(in folder: URL) async throws -> Set<String> {
    let options = AppOptions(
      projectID: "demo-notes", backend: .embedded(directory: folder.appending(path: "backend").path),
      data: .memory)
    let app = try App.configure(name: "reader-\(UUID())", options: options)
    do {
      let notes = try await Store.store(app: app, as: .admin).collectionGroup("notes")
        .getDocuments(source: .server)
      let texts = try notes.documents.map { try $0.data(as: Note.self).text }
      await app.delete()
      return Set(texts)
    } catch {
      await app.delete()
      throw error
    }
  }

  /// The texts of notes that the server has acknowledged.
  private actor Acknowledged {
    private(set) var texts: Set<String> = []

    func add(_ text: String) -> Int {
      texts.insert(text)
      return texts.count
    }
  }

  /// Every note that was acknowledged is at the backend when the server has ended, although clients write until
  /// they are refused.
  @Test func noAcknowledgedWriteIsLostUnderLoad() async throws {
    try await withTemporaryFolder { folder in
      let acknowledged = Acknowledged()
      try await RunningServer.run(in: folder) { server in
        let token = try await server.signUp()
        await withTaskGroup(of: Void.self) { group in
          for client in 0..<16 {
            group.addTask {
              for number in 0... {
                let text = "\(client)-\(number)"
                guard (try? await server.createNote(text, token: token)) != nil else { return }
                if await acknowledged.add(text) == 200 { await server.group.triggerGracefulShutdown() }
              }
            }
          }
        }
      }
      let texts = await acknowledged.texts
      #expect(texts.count >= 200)
      #expect(try await notes(in: folder).isSuperset(of: texts))
    }
  }

  /// The process doesn't end while writes can still be sent.
  @Test func pendingWritesAreSentBeforeTheEnd() async throws {
    try await withTemporaryFolder { folder in
      try await RunningServer.run(in: folder) { server in
        try await server.store.disableNetwork()
        let token = try await server.signUp()
        for number in 0..<20 { _ = try await server.createNote("\(number)", token: token) }
        let store = server.store
        #expect(try await store.queuedWrites.count == 20)
        await server.group.triggerGracefulShutdown()
        // The server has ended when it refuses connections; the app waits for the network.
        try await eventually { (try? await server.send(.get, "/health")) == nil }
        try await store.enableNetwork()
      }
      #expect(try await notes(in: folder) == Set((0..<20).map(String.init)))
    }
  }

  /// Without a network, the limit ends the process. The writes are sent after the next start.
  @Test func whatCannotBeSentInTimeIsSentAfterTheNextStart() async throws {
    try await withTemporaryFolder { folder in
      try await RunningServer.run(in: folder, flushingWithin: .milliseconds(1)) { server in
        try await server.store.disableNetwork()
        let token = try await server.signUp()
        _ = try await server.createNote("tea", token: token)
        await server.group.triggerGracefulShutdown()
        try await eventually {
          server.logLines.contains { $0.contains("left for the next start") }
        }
      }
      #expect(try await notes(in: folder) == [])
      try await RunningServer.run(in: folder) { _ in }
      #expect(try await notes(in: folder) == ["tea"])
    }
  }

  /// A backend in memory offers no remote to a database on disk, so waiting fails, but nothing is left.
  @Test func nothingIsSaidIfNothingIsLeft() async throws {
    try await withTemporaryFolder { folder in
      let app = try App.configure(
        name: "quiet-\(UUID())",
        options: AppOptions(
          projectID: "demo-notes", backend: .embedded(directory: nil), data: .directory(folder.path)))
      let log = InMemoryLogHandler()
      let service = AppService(
        app, flushing: [try Store.store(app: app, as: .admin)], logger: Logger(label: "test") { _ in log })
      let group = ServiceGroup(
        services: [service], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      await group.triggerGracefulShutdown()
      try await group.run()
      #expect(log.entries.isEmpty)
    }
  }

  @Test func listenersEndWithTheServer() async throws {
    try await RunningServer.run { server in
      let snapshots = server.store.collectionGroup("notes").snapshots()
      let (first, continuation) = AsyncStream<Void>.makeStream()
      let listening = Task {
        do { for try await _ in snapshots { continuation.yield() } } catch {}
        return true
      }
      for await _ in first { break }
      await server.group.triggerGracefulShutdown()
      #expect(await listening.value)
    }
  }
}
