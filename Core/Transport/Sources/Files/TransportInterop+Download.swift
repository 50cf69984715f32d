public import TenonFoundation
public import TenonTransportInterop

extension TransportInterop {
  /// Sends a request and writes the body of the response to a file.
  ///
  /// The file is created or replaced atomically when the body is complete; until then, and after an error, it
  /// remains as it was. The body is written as it arrives, so its size isn't limited and takes no memory;
  /// `limits.bodyBytes` of the request doesn't apply. Its progress is reported to `onProgress` of the
  /// request.
  ///
  /// - Parameters:
  ///   - request: the request. Its deadline covers the whole download.
  ///   - file: the file. Its directory must exist.
  /// - Returns: the response. Its body is empty if the status is 2xx. A response with any other status
  ///   doesn't change the file, and has the beginning of its body, up to the chunk that contains byte 65,536.
  /// - Throws: `TransportError` if the response isn't complete, with `fileError` if the file can't be
  ///   written; `CancellationError`.
  @discardableResult
  public func download(_ request: TransportRequest, to file: URL) async throws -> TransportResponse {
    let time = TimeSource.system
    let deadline = request.deadline.map { time.now() + $0.limited }
    let response = try await time.value(by: deadline) { try await receive(request, to: file) }
    guard let response else {
      throw TransportError(
        .timedOut,
        "\(request.url.host() ?? "The server") didn't send the file in time. Try again, or allow more time.",
        timeout: .exchange)
    }
    return response
  }

  /// Sends a request and writes the body of a 2xx response to a file.
  private func receive(_ request: TransportRequest, to file: URL) async throws -> TransportResponse {
    let stream = try await stream(request)
    var response = TransportResponse(status: stream.status, headers: stream.headers)
    guard (200..<300).contains(stream.status) else {
      for try await chunk in stream.body {
        response.body += chunk
        // The rest isn't waited for: it may have no end.
        if response.body.count >= 65_536 { break }
      }
      return response
    }
    do { try await LocalFile.write(stream, to: file) } catch let error as LocalFile.Failure {
      throw TransportError(.fileError, error.message, underlying: error.underlying)
    }
    return response
  }
}
