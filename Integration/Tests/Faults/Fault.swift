import Foundation
import TenonTestSupport

/// A fault of the network that affects a request or its response.
enum Fault: String, CaseIterable, Sendable {
  /// The request is lost.
  case dropsRequest
  /// The request is processed, and the response is lost.
  case dropsAnswer
  /// The response is late.
  case delays
  /// The response arrives after the client stopped waiting for it.
  case delaysTooLong
  /// The response ends in its head.
  case truncatesHead
  /// The response ends in its content.
  case truncatesBody
  /// The request arrives twice. The second response is returned.
  case duplicatesRequest
  /// The response arrives twice on the same connection.
  case duplicatesAnswer
  /// Characters of the head are changed.
  case corruptsHead
  /// Bytes of the content are changed.
  case corruptsBody
  /// The page of a captive portal arrives instead of the response, as in hotels.
  case answersWithAPage
  /// An empty object arrives instead of the response.
  case answersWithNothing
  /// A load balancer can't reach the server.
  case answersBadGateway
  /// The server is busy and doesn't process the request.
  case answersBusy

  /// Longer than an impatient ``FaultyApp`` waits.
  static let longDelay: UInt32 = 1_100_000
}

extension Fault {
  /// Whether the response could be an honest response of a server to another request, and doesn't reveal the
  /// outcome.
  var losesAnswersSilently: Bool { self == .duplicatesRequest || self == .answersWithNothing }

  /// Returns the steps of the proxy for a request.
  ///
  /// - Parameter forward: makes the server process the request, and returns its response.
  func steps(
    _ random: inout some RandomNumberGenerator, forward: () throws -> Data
  ) throws -> [LoopbackServer.Step] {
    switch self {
    case .dropsRequest: return [.hangUp]
    case .dropsAnswer:
      _ = try forward()
      return [.hangUp]
    case .delays:
      return [.pause(microseconds: .random(in: 100...20_000, using: &random)), .bytes(try forward())]
    case .delaysTooLong:
      let answer = try forward()
      return [.pause(microseconds: Self.longDelay), .bytes(answer), .hangUp]
    case .truncatesHead:
      let (head, _) = Self.parts(of: try forward())
      // Without its last byte, a line feed, the head of a response without content is complete.
      return [.bytes(head.prefix(.random(in: 0..<(head.count - 1), using: &random))), .hangUp]
    case .truncatesBody:
      let (head, body) = Self.parts(of: try forward())
      return [.bytes(head + body.prefix(.random(in: 0..<max(body.count, 1), using: &random))), .hangUp]
    case .duplicatesRequest:
      _ = try forward()
      return [.bytes(try forward())]
    case .duplicatesAnswer:
      let answer = try forward()
      return [.bytes(answer), .bytes(answer)]
    case .corruptsHead:
      var (head, body) = Self.parts(of: try forward())
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = head.indices.randomElement(using: &random) ?? head.startIndex
        // The class of the status is unchanged: another one would be an honest response.
        guard index != "HTTP/1.1 ".count else { continue }
        head[index] = .random(in: 0x21...0x7E, using: &random)
      }
      return [.bytes(head + body), .hangUp]
    case .corruptsBody:
      // No byte of JSON's syntax has this bit. Changes within its strings can't be detected.
      var (head, body) = Self.parts(of: try forward())
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        if let index = body.indices.randomElement(using: &random) { body[index] |= 0x80 }
      }
      return [.bytes(head + body)]
    case .answersWithAPage:
      return [.answer(200, ["Content-Type": "text/html"], "<html>Sign in to our network</html>")]
    case .answersWithNothing:
      _ = try forward()
      return [.answer(200, ["Content-Type": "application/json"], "{}")]
    case .answersBadGateway:
      _ = try forward()
      return [.answer(502, ["Content-Type": "text/html"], "<html>Bad gateway</html>")]
    case .answersBusy: return [.answer(503, ["Retry-After": "1"], "")]
    }
  }

  private static func parts(of answer: Data) -> (head: Data, body: Data) {
    let end = answer.range(of: Data("\r\n\r\n".utf8))?.upperBound ?? answer.endIndex
    return (Data(answer[..<end]), Data(answer[end...]))
  }
}
