import Foundation

/// An HTTP client to measure. All functions can be called concurrently.
protocol MeasuredClient: Sendable {
  /// Sends a GET, receives the whole response in memory and returns the size of its body in bytes.
  ///
  /// - Throws: an error unless the status is 200.
  func get(_ url: URL) async throws -> Int
  /// Sends a GET, receives the body in pieces that aren't kept, and returns its size in bytes.
  func download(_ url: URL) async throws -> Int
  /// Sends the content of a file with PUT. A client that has no such function throws ``Unsupported``.
  func upload(_ file: URL, to url: URL) async throws
  /// Sends a number of bytes, which is a multiple of the size of a piece, with PUT, from a sequence of
  /// ``Pieces``. A client that has no such function throws ``Unsupported``.
  func upload(bytes: Int, to url: URL) async throws
}

/// The same piece a number of times: the body of a request that is a stream.
struct Pieces<Element: Sendable>: AsyncSequence, Sendable {
  /// The size of a piece in bytes.
  static var size: Int { 256 << 10 }

  let piece: Element
  let count: Int

  struct AsyncIterator: AsyncIteratorProtocol {
    let piece: Element
    var left: Int

    mutating func next() async throws -> Element? {
      left -= 1
      return left >= 0 ? piece : nil
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(piece: piece, left: count) }
}

/// The client has no such function.
struct Unsupported: Error {}

/// The server sent another response than expected.
struct UnexpectedResponse: Error {}

/// What a process that runs one client has measured.
struct ClientReport: Codable {
  /// The median time of one operation in nanoseconds.
  var median: Double
  /// The time in nanoseconds that 99 of 100 operations don't exceed.
  var percentile99: Double
  /// The time of all operations together in nanoseconds.
  var total: Double
  /// The largest number of bytes of memory that were resident at any time.
  var residentPeak: Int
}

/// What a process does with a client.
enum ClientTask: String {
  /// Sends GET requests, a number of them concurrently.
  case get
  /// Receives a large response.
  case download
  /// Sends a large file.
  case upload
  /// Sends a large stream.
  case stream
}

/// The program of a process that runs one client, so that the memory of clients can be compared.
enum ClientProgram {
  /// The number of requests that are sent before the measurement, one after another.
  private static let warmUps = 200

  /// Measures a client and prints a ``ClientReport`` as JSON; prints nothing if the client doesn't support
  /// the task.
  ///
  /// - Parameters:
  ///   - client: the client.
  ///   - arguments: the task; the URL; the number of requests, or of bytes to send; the number of concurrent
  ///     requests; the file to send.
  static func run(_ client: some MeasuredClient, _ arguments: [String]) async throws {
    do { try await measure(client, arguments) } catch is Unsupported {}
  }

  private static func measure(_ client: some MeasuredClient, _ arguments: [String]) async throws {
    guard arguments.count == 5, let task = ClientTask(rawValue: arguments[0]),
      let url = URL(string: arguments[1]),
      let count = Int(arguments[2]), let width = Int(arguments[3])
    else { throw UnexpectedResponse() }
    let clock = ContinuousClock()
    var times: [Duration] = []
    let total: Duration
    switch task {
    case .get:
      for _ in 0..<(count > 1 ? warmUps : 0) { _ = try await client.get(url) }
      let start = clock.now
      times = try await gets(client, url, count, width)
      total = clock.now - start
    case .download:
      total = try await clock.measure { _ = try await client.download(url) }
    case .upload:
      total = try await clock.measure { try await client.upload(URL(filePath: arguments[4]), to: url) }
    case .stream:
      total = try await clock.measure { try await client.upload(bytes: count, to: url) }
    }
    times = times.isEmpty ? [total] : times.sorted()
    let report = ClientReport(
      median: times[times.count / 2] / .nanoseconds(1),
      percentile99: times[times.count * 99 / 100] / .nanoseconds(1),
      total: total / .nanoseconds(1), residentPeak: residentPeak)
    print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
  }

  /// Sends GET requests and returns how long each took.
  private static func gets(
    _ client: some MeasuredClient, _ url: URL, _ count: Int, _ width: Int
  ) async throws -> [Duration] {
    try await withThrowingTaskGroup { group in
      for _ in 0..<width {
        group.addTask {
          var times: [Duration] = []
          for _ in 0..<(count / width) {
            let start = ContinuousClock.now
            guard try await client.get(url) > 0 else { throw UnexpectedResponse() }
            times.append(ContinuousClock.now - start)
          }
          return times
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  /// The largest resident memory in bytes; 0 if the system doesn't report it. It is read from the memory of
  /// this program, because `getrusage` includes the time before the program was loaded.
  private static var residentPeak: Int { residentPeak(of: "self") ?? 0 }

  /// Returns the largest number of bytes of a process that were resident at any time; `nil` if it has ended.
  static func residentPeak(of process: String) -> Int? {
    let status = (try? Data(contentsOf: URL(filePath: "/proc/\(process)/status"))) ?? Data()
    let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
  }
}
