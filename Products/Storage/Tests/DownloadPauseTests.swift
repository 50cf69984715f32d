import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

/// Downloads that are paused at a point that the test chooses.
@Suite(.limited) struct DownloadPauseTests {
  /// A transport whose first body stops after some bytes.
  private final class StoppingTransport: TransportInterop {
    private let content: Data
    private let stop: Int
    private let hash: String?
    private let requested = Lock<[String?]>([])
    /// Receives an element when all bytes before the stop have been taken.
    let stopped = AsyncStream.makeStream(of: Void.self)
    /// Whether the reader has left the first body.
    let isLeft = Lock(false)

    init(_ content: Data, stop: Int, hash: String? = nil) {
      (self.content, self.stop, self.hash) = (content, stop, hash)
    }

    /// The field `Range` of each request.
    var ranges: [String?] { requested.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      TransportResponse(status: 500)
    }

    func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
      let range = request.headers["Range"]
      let isFirst = requested.withLock {
        $0.append(range)
        return $0.count == 1
      }
      let start = range.flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      var headers = HTTPHeaders([HTTPHeader(name: "ETag", value: "\"1\"")])
      if let hash { headers.add("X-Goog-Hash", hash) }
      if range == nil {
        headers.add("Content-Length", "\(content.count)")
      } else {
        headers.add("Content-Range", "bytes \(start)-\(content.count - 1)/\(content.count)")
      }
      let chunks = Chunks([isFirst ? content.prefix(stop) : content.dropFirst(start)])
      let body = AsyncThrowingStream<Data, any Error> { [self] in
        if let chunk = await chunks.next() { return chunk }
        guard isFirst else { return nil }
        stopped.continuation.yield()
        do { try await Task.sleep(for: .seconds(600)) } catch {
          isLeft.withLock { $0 = true }
          throw error
        }
        return nil
      }
      return TransportStreamingResponse(status: range == nil ? 200 : 206, headers: headers, body: body)
    }
  }

  private actor Chunks {
    private var rest: [Data]
    init(_ chunks: [Data]) { rest = chunks }
    func next() -> Data? { rest.isEmpty ? nil : rest.removeFirst() }
  }

  /// They are fewer than what is written at a time.
  @Test func pauseKeepsAllBytesThatHaveArrived() async throws {
    try await withNewDirectory { directory in
      let target = directory.appending(path: "target")
      let content = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
      let transport = StoppingTransport(content, stop: 1_234)
      let task = try bucket(transport).reference(withPath: "a").write(toFile: target)
      for await _ in transport.stopped.stream { break }
      task.pause()
      task.resume()
      #expect(try await task.value == target)
      #expect(transport.ranges == [nil, "bytes=1234-"])
      #expect(try files(in: directory) == ["target"] && Data(contentsOf: target) == content)
    }
  }

  @Test func pauseDoesNotCountForTheTimeLimit() async throws {
    try await withNewDirectory { directory in
      let transport = StoppingTransport(Data(count: 100), stop: 10)
      let time = TestTime()
      let paused = AsyncStream.makeStream(of: Void.self)
      var source = time.source
      source.now = {
        let now = time.now
        // The next use of the clock is the beginning of the pause.
        if transport.isLeft.withLock({ $0 }) { paused.continuation.yield() }
        return now
      }
      let storage = try bucket(transport, time: source)
      storage.maxTransferTime = .seconds(60)
      let task = storage.reference(withPath: "a").write(toFile: directory.appending(path: "target"))
      for await _ in transport.stopped.stream { break }
      task.pause()
      for await _ in paused.stream { break }
      time.advance(by: 1_000)
      task.resume()
      _ = try await task.value
      #expect(transport.ranges.count == 2)
    }
  }

  /// Without checksums, nothing shows later that the bytes are on the disk.
  @Test(arguments: [false, true])
  func onlyBytesWithChecksumsAreKeptForAnotherProcess(hasHash: Bool) async throws {
    try await withNewDirectory { directory in
      let content = Data(count: 3 << 20)
      let transport = StoppingTransport(content, stop: 2 << 20, hash: hasHash ? hashField(content) : nil)
      let task = try bucket(transport).reference(withPath: "a").write(
        toFile: directory.appending(path: "target"))
      for await progress in task.progress where progress.completedUnitCount > 0 { break }
      let expected = hasHash ? [".target.download", ".target.download.json"] : [".target.download"]
      #expect(try files(in: directory) == expected)
      task.cancel()
      _ = await #expect(throws: StorageError.self) { try await task.value }
      #expect(try files(in: directory) == [])
    }
  }
}
