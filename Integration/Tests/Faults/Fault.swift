import Foundation
import TenonTesting

/// What may happen to a request and its answer on their way.
enum Fault: String, CaseIterable, Sendable {
  /// The request never arrives.
  case dropsRequest
  /// The request is acted on, and nothing comes back.
  case dropsAnswer
  /// The answer comes, but late.
  case delays
  /// The answer comes when nobody waits for it any more.
  case delaysTooLong
  /// The answer breaks off in the first line of its head. After that line, `FoundationNetworking` of Swift 6.3 would
  /// end the process (swift-corelibs-foundation, issue 5285).
  case truncatesHead
  /// The answer breaks off in its content.
  case truncatesBody
  /// The request arrives twice; the second answer comes back.
  case duplicatesRequest
  /// The answer comes twice over the same connection.
  case duplicatesAnswer
  /// Characters of the head are others.
  case corruptsHead
  /// Bytes of the content are others.
  case corruptsBody
  /// A page of somebody on the way comes instead of the answer, as in hotels.
  case answersWithAPage
  /// An empty object comes instead of the answer.
  case answersWithNothing
  /// A balancer on the way has lost the server.
  case answersBadGateway
  /// The server is busy, and the request wasn't acted on.
  case answersBusy

  /// Longer than an impatient ``FaultyApp`` waits.
  static let longDelay: UInt32 = 1_100_000
}

extension Fault {
  /// Whether what comes back could be a server's honest answer to something else, and says nothing of what was done.
  var losesAnswersSilently: Bool { self == .duplicatesRequest || self == .answersWithNothing }

  /// What the proxy does for a request.
  ///
  /// - Parameter forward: lets the server act on the request, and gives its answer.
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
      let line = head.firstIndex(of: UInt8(ascii: "\r")) ?? head.endIndex
      return [.bytes(head[..<Int.random(in: 1..<line, using: &random)]), .hangUp]
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
        // The lines end where they did, and the status stays a final one: see ``truncatesHead``.
        guard head[index] > 0x20, index != "HTTP/1.1 ".count else { continue }
        head[index] = .random(in: 0x21...0x7E, using: &random)
      }
      return [.bytes(head + body), .hangUp]
    case .corruptsBody:
      // No byte of JSON's text has this bit; what is changed to other text can't be told from the truth.
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
