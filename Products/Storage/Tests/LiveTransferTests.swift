import Foundation
import TenonCore
import TenonTestSupport
import Testing

@testable import TenonStorage

/// The states of transfers: as a stream, and as `LiveTransfer`, observed on the main actor.
@MainActor @Suite(.limited) struct LiveTransferTests {
  private static let content = UploadServer.content(2 * (1 << 18) + 1_000)
  private static let size: Int64 = 525_288

  /// A server that doesn't answer one request, and tells when that request has arrived.
  private struct HoldingServer {
    let server: UploadServer
    private let arrivals: AsyncStream<Void>

    init(holding held: Int) throws {
      let (arrivals, arrival) = AsyncStream<Void>.makeStream()
      server = try UploadServer { index, _ in
        guard index == held else { return .none }
        arrival.finish()
        return .held
      }
      self.arrivals = arrivals
    }

    func hold() async { for await _ in arrivals {} }
  }

  @Test func anUploadIsFollowedToItsEnd() async throws {
    let server = try UploadServer()
    defer { server.stop() }
    let upload = try server.object().putData(Self.content)
    let live = LiveTransfer(upload)
    #expect(live.reference == upload.reference && live.error == nil)
    var progress: [Int64] = []
    await Invalidation.wait {
      progress.append(live.progress.completedUnitCount)
      return live.status == .success
    }
    #expect(progress == progress.sorted() && live.progress.fractionCompleted == 1)
    #expect(
      live.progress.totalUnitCount == Self.size && live.metadata?.size == Self.size && live.error == nil)
  }

  @Test func aPauseIsDeliveredAndProgressInvalidatesOnlyItsObservers() async throws {
    let holding = try HoldingServer(holding: 2)
    defer { holding.server.stop() }
    let upload = try holding.server.object().putData(Self.content)
    let live = LiveTransfer(upload)
    let (status, progress) = (Invalidation { _ = live.status }, Invalidation { _ = live.progress })
    await Invalidation.wait { live.progress.completedUnitCount > 0 }
    #expect(progress.hasHappened && !status.hasHappened)
    await holding.hold()
    upload.pause()
    await Invalidation.wait { live.status == .pause }
    #expect(status.hasHappened && live.metadata == nil)
    upload.resume()
    await Invalidation.wait { live.status == .success }
    #expect(live.metadata?.size == Self.size)
  }

  @Test func aCancellationIsAnErrorAsAValue() async throws {
    let server = try UploadServer { index, _ in index == 1 ? .held : .none }
    defer { server.stop() }
    let upload = try server.object().putData(Self.content)
    let live = LiveTransfer(upload)
    #expect(live.status == .progress)
    upload.cancel()
    await Invalidation.wait { live.status == .failure }
    #expect((live.error as? StorageError)?.code == .cancelled && live.metadata == nil)
    // One that is created later has the outcome immediately.
    let later = LiveTransfer(upload)
    #expect(later.status == .failure && (later.error as? StorageError)?.code == .cancelled)
  }

  @Test func releasingItLeavesTheTransferRunning() async throws {
    let holding = try HoldingServer(holding: 1)
    defer { holding.server.stop() }
    let upload = try holding.server.object().putData(Self.content)
    var live: LiveTransfer? = LiveTransfer(upload)
    #expect(live?.status == .progress)
    weak let released = live
    live = nil
    #expect(released == nil)
    await holding.hold()
    upload.pause()
    upload.resume()
    #expect(try await upload.value.size == Self.size)
  }

  @Test func theStreamOfStatesEndsWithTheOutcome() async throws {
    let server = try UploadServer()
    defer { server.stop() }
    let upload = try server.object().putData(Self.content)
    var (last, count): (Int64, Int) = (0, 0)
    for try await snapshot in upload.snapshots {
      #expect(snapshot.progress.completedUnitCount >= last)
      last = snapshot.progress.completedUnitCount
      if snapshot.status == .success { count += 1 }
    }
    #expect(last == Self.size && count == 1)
    // A stream that begins later has the outcome only.
    var outcomes: [StorageTaskStatus] = []
    for try await snapshot in upload.snapshots { outcomes.append(snapshot.status) }
    #expect(outcomes == [.success])
  }

  @Test func theStreamOfAFailedTransferEndsWithItsError() async throws {
    let server = try UploadServer { index, _ in index == 1 ? .held : .none }
    defer { server.stop() }
    let upload = try server.object().putData(Self.content)
    var states = upload.snapshots.makeAsyncIterator()
    #expect(try await states.next()?.status == .progress)
    upload.cancel()
    for _ in 0..<2 {
      let error = await #expect(throws: StorageError.self) { for try await _ in upload.snapshots {} }
      #expect(error?.code == .cancelled)
    }
  }

  @Test func endingTheIterationLeavesTheTransferRunning() async throws {
    let server = try UploadServer()
    defer { server.stop() }
    let upload = try server.object().putData(Self.content)
    let states = upload.snapshots
    let reader = Task { for try await _ in states {} }
    reader.cancel()
    _ = await reader.result
    #expect(try await upload.value.size == Self.size)
  }
}
