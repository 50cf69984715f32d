import TenonCore
import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// Makes one streaming call, and reads its events as they are requested. Releasing it ends the exchange.
actor CallableStreamReader {
  /// What a function sends.
  enum Event: Sendable {
    /// A chunk of the response.
    case message(JSON)
    /// The result, which is the last event.
    case result(JSON)

    /// The event in the form in which it is sent: an object with the member `message` or `result`.
    var json: JSON {
      switch self {
      case .message(let value): ["message": value]
      case .result(let value): ["result": value]
      }
    }
  }

  /// The progress of the call.
  private enum State {
    /// Nothing has been sent.
    case idle
    /// The body of the response is being read.
    case open(AsyncThrowingStream<Data, any Error>)
    /// The call has ended. The body was released, so that the connection is closed if the body isn't
    /// complete.
    case ended
  }

  private let client: CallableClient
  private let call: CallableClient.Call
  private var state = State.idle
  private var events = ServerSentEvents(limit: CallableStreamReader.largestEvent)
  /// The result, if it was received and hasn't been returned.
  private var result: JSON?
  /// The credentials of the request, which errors don't contain.
  private var secrets: [String] = []
  /// Whether a call of ``next(_:)`` is in progress.
  private var isReading = false

  /// The maximum size of an event: that of a response that isn't streamed.
  static let largestEvent = JSON.largestText
  /// The number of bytes that are read of a response that isn't a success, which may be the page of a proxy.
  private static let largestFailure = 1 << 20

  /// Creates a reader. Nothing is sent before the first call of ``next(_:)``.
  init(_ call: CallableClient.Call, client: CallableClient) {
    self.call = call
    self.client = client
  }

  /// Returns the next element of the stream; `nil` after the last one, and after an error. Calls must not
  /// overlap.
  ///
  /// - Parameter decode: decodes an event; returns `nil` for one that isn't an element.
  /// - Throws: ``FunctionsError``; Auth's error; `CancellationError`, also if calls overlap.
  func next<Element: Sendable>(_ decode: @Sendable (Event) throws -> Element?) async throws -> Element? {
    guard !isReading else { throw CancellationError() }
    isReading = true
    defer { isReading = false }
    do {
      while let event = try await event() {
        guard let element = try decode(event) else { continue }
        guard client.http.time.now() < call.end else { throw call.tooLate }
        return element
      }
      return nil
    } catch {
      state = .ended
      result = nil
      throw CallableClient.typed(error, function: call.name)
    }
  }

  /// Returns the next event; `nil` after the last one.
  private func event() async throws -> Event? {
    while true {
      if let result {
        self.result = nil
        state = .ended
        return .result(result)
      }
      switch state {
      case .idle: try await open()
      case .ended: return nil
      case .open(let body):
        if let data = try nextData() {
          if let message = try message(in: data) { return .message(message) }
        } else if let piece = try await piece(of: body) {
          events.append(piece)
        } else {
          throw FunctionsError(
            .dataLoss,
            "The stream of the function \(call.name) ended without a result. The function may have been stopped, or the connection "
              + "lost; whether the call had its whole effect is unknown.")
        }
      }
    }
  }

  /// Sends the request and receives the head of the response. A response that isn't a stream is read
  /// completely: functions that don't support streaming return only their result, and failures before the
  /// beginning have the form of other calls.
  private func open() async throws {
    let (request, response) = try await client.recording(call, isStream: true) { [client, call] in
      try await client.exchange(of: call, isStream: true, status: \.status) {
        try await client.http.stream($0)
      }
    }
    secrets = request.credentials
    let type = response.headers["Content-Type"].map { String($0.prefix { $0 != ";" }).trimmed.lowercased() }
    guard (200..<300).contains(response.status), type ?? Self.streamType == Self.streamType else {
      return result = try await wholeResult(of: response, type: type)
    }
    // Express sends no type unless a function sets it.
    if type == nil, let first = try await piece(of: response.body) {
      if first.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") {
        return result = try await wholeResult(of: response, type: type, after: first)
      }
      events.append(first)
    }
    state = .open(response.body)
  }

  /// Returns the result of a response that isn't a stream of events.
  ///
  /// - Parameters:
  ///   - response: the response.
  ///   - type: its media type.
  ///   - beginning: the part of the body that was read.
  /// - Throws: ``FunctionsError`` if the response is an error.
  private func wholeResult(
    of response: TransportStreamingResponse, type: String?, after beginning: Data = Data()
  ) async throws -> JSON {
    let isSuccess = (200..<300).contains(response.status)
    var body = beginning
    while let piece = try await piece(of: response.body) {
      body += piece
      if body.count > Self.largestFailure, !isSuccess { break }
      guard body.count <= Self.largestEvent else { throw Self.tooLarge }
    }
    if type == Self.streamType {
      // The error of a function that failed before its stream began.
      events.append(body)
      body = try nextData() ?? body
    }
    let whole = TransportResponse(status: response.status, headers: response.headers, body: body)
    return try CallableClient.result(in: whole, hiding: secrets, function: call.name)
  }

  /// Returns the message of an event, and keeps its result; `nil` if there is no message.
  ///
  /// - Throws: ``FunctionsError`` if the event is an error or malformed.
  private func message(in data: Data) throws -> JSON? {
    let json = try? JSON(parsing: data, replacesLoneSurrogates: true)
    if let json, json["error"] ?? .null == .null {
      result = json["result"]
      if json["message"] != nil || result != nil { return json["message"] }
    }
    let event = TransportResponse(status: 200, body: data).hiding(secrets)
    let hidden = try? JSON(parsing: event.body, replacesLoneSurrogates: true)
    if let error = FunctionsError(event, body: hidden, function: call.name) { throw error }
    let reason = json == nil ? "isn't valid JSON" : "has neither message nor result"
    throw FunctionsError(
      .internal,
      "An event of the function \(call.name) \(reason): \(event.excerpt). "
        + "Check that it is a callable function (onCall).")
  }

  /// Returns the data of the next event that has been received.
  private func nextData() throws -> Data? {
    do { return try events.next() } catch { throw Self.tooLarge }
  }

  /// Returns the next piece of a body; `nil` at its end.
  ///
  /// - Throws: `TransportError`, with `timedOut` also if the call ends or nothing arrives for the time of
  ///   `HTTPTimeouts.inactivity`, whatever the transport; `CancellationError`.
  private func piece(of body: AsyncThrowingStream<Data, any Error>) async throws -> Data? {
    let time = client.http.time
    let idle = call.timeouts.inactivity.map { time.now() + $0.limited } ?? call.end
    let piece: Data?? = try await time.value(by: min(call.end, idle)) {
      // Each iterator of the stream continues where the last one ended.
      var iterator = body.makeAsyncIterator()
      return try await iterator.next()
    }
    if let piece { return piece }
    throw call.end <= idle
      ? TransportError(.timedOut, "The stream didn't end in time.", timeout: .exchange)
      : TransportError(.timedOut, "Nothing arrived, not even a heartbeat.", timeout: .inactivity)
  }

  /// The error of a stream with an event beyond the limit.
  private static var tooLarge: TransportError {
    TransportError(
      .invalidResponse, "An event has more than \(largestEvent) bytes.", limit: .bodyBytes)
  }

  /// The media type of a stream of events.
  private static let streamType = "text/event-stream"
}
