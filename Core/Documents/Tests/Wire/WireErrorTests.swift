import Foundation
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import Testing

/// Errors in the forms of Google's servers.
@Suite(.limited) struct WireErrorTests {
  /// The codes with their numbers in gRPC, their names and their HTTP statuses.
  static let codes: [(StoreRemoteError.Code, Int, String, Int)] = [
    (.cancelled, 1, "CANCELLED", 499), (.unknown, 2, "UNKNOWN", 500),
    (.invalidArgument, 3, "INVALID_ARGUMENT", 400),
    (.deadlineExceeded, 4, "DEADLINE_EXCEEDED", 504), (.notFound, 5, "NOT_FOUND", 404),
    (.alreadyExists, 6, "ALREADY_EXISTS", 409), (.permissionDenied, 7, "PERMISSION_DENIED", 403),
    (.resourceExhausted, 8, "RESOURCE_EXHAUSTED", 429), (.failedPrecondition, 9, "FAILED_PRECONDITION", 400),
    (.aborted, 10, "ABORTED", 409), (.outOfRange, 11, "OUT_OF_RANGE", 400),
    (.unimplemented, 12, "UNIMPLEMENTED", 501),
    (.internal, 13, "INTERNAL", 500), (.unavailable, 14, "UNAVAILABLE", 503),
    (.dataLoss, 15, "DATA_LOSS", 500),
    (.unauthenticated, 16, "UNAUTHENTICATED", 401),
  ]

  @Test(arguments: codes)
  func everyCodeHasItsNumberNameAndStatus(code: StoreRemoteError.Code, number: Int, name: String, http: Int)
    throws
  {
    #expect(code.status.rawValue == number && code.status.name == name && code.status.httpStatus == http)
    #expect(StoreRemoteError.Code(number: number) == code && StoreRemoteError.Code(name: name) == code)
    let error = StoreRemoteError(code, "It \"failed\".")
    let body = error.responseBody
    #expect(
      String(decoding: body, as: UTF8.self)
        == #"{"error":{"code":\#(http),"message":"It \"failed\".","status":"\#(name)"}}"#)
    for body in [body, Data("[".utf8) + body + Data("]".utf8)] {
      let decoded = StoreRemoteError(http: http, body: body)
      #expect(decoded.code == code && decoded.message == error.message)
    }
    let status = #"{"code":\#(number),"message":"It \"failed\"."}"#
    #expect(try WireText.of(WireStatus(error)) == status)
    #expect(try WireText.decode(status) == WireStatus(error))
  }

  @Test func aCodeOfALaterVersionIsUnknownOnTheWire() {
    #expect(StoreRemoteError.Code(rawValue: "later").status.name == "UNKNOWN")
    #expect(StoreRemoteError.Code(name: "LATER") == nil && StoreRemoteError.Code(number: 17) == .unknown)
    #expect(StoreRemoteError.Code(number: 0) == .unknown && StoreRemoteError.Code(number: .min) == .unknown)
  }

  @Test(
    arguments: [
      (#"{"error":{"status":"ABORTED","message":"m"}}"#, .aborted, "m"),
      (#"{"error":{"code":5,"message":"m"}}"#, .notFound, "m"),
      (#"{"error":{"code":404,"message":"m"}}"#, .notFound, "m"),
      (#"{"error":{"status":"LATER","code":403,"message":"m"}}"#, .permissionDenied, "m"),
      (#"[{"error":{"status":"NOT_FOUND","code":"404","message":"m"}}]"#, .notFound, "m"),
      (#"[[{"error":{"status":"NOT_FOUND","message":"m"}}]]"#, .unavailable, nil),
      (#"{"error":{}}"#, .unknown, nil), (#"{"error":"no"}"#, .unknown, nil), ("{}", .unavailable, nil),
      ("[]", .unavailable, nil),
      ("<html>", .unavailable, nil), ("", .unavailable, nil), (#"{"error":{"code":1e300}}"#, .unknown, nil),
      (#"{"error":{"code":-9223372036854775808}}"#, .unknown, nil),
    ] as [(String, StoreRemoteError.Code, String?)])
  func theErrorOfAResponseIsRead(body: String, code: StoreRemoteError.Code, message: String?) {
    let error = StoreRemoteError(http: 503, body: Data(body.utf8))
    #expect(error.code == code)
    if let message { #expect(error.message == message) } else { #expect(!error.message.isEmpty) }
  }

  @Test(
    arguments: [
      (400, .invalidArgument), (401, .unauthenticated), (403, .permissionDenied), (404, .notFound),
      (408, .deadlineExceeded), (409, .aborted), (412, .failedPrecondition), (413, .invalidArgument),
      (416, .outOfRange),
      (429, .resourceExhausted), (499, .cancelled), (500, .internal), (501, .unimplemented),
      (502, .unavailable),
      (503, .unavailable), (504, .deadlineExceeded), (507, .unavailable), (200, .unknown), (418, .unknown),
      (-1, .unknown),
    ] as [(Int, StoreRemoteError.Code)])
  func aStatusWithoutAnErrorHasACode(status: Int, code: StoreRemoteError.Code) {
    #expect(StoreRemoteError(http: status, body: Data()).code == code)
  }

  @Test func elementsOfStreamsAreErrorsOrNot() throws {
    let error = try FirestoreJSON(
      Data(#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"m"}}"#.utf8))
    #expect(StoreRemoteError(wireError: error)?.code == .invalidArgument)
    let element = try FirestoreJSON(Data(#"{"readTime":"1970-01-01T00:00:01Z"}"#.utf8))
    #expect(StoreRemoteError(wireError: element) == nil)
    #expect(throws: DocumentError.self) { try RunQueryResponse(error, in: WireText.database) }
    #expect(throws: DocumentError.self) { try BatchGetResponse(error, in: WireText.database) }
    #expect(throws: DocumentError.self) { try AggregationResponse(error, in: WireText.database) }
  }

  @Test func aServerReportsWhatTheClientCanChange() {
    func code(_ error: any Error) -> StoreRemoteError.Code { StoreRemoteError(reporting: error).code }
    #expect(code(StoreRemoteError(.aborted, "m")) == .aborted)
    #expect(code(DocumentError(.badValue, "m")) == .invalidArgument)
    #expect(code(DocumentError(.otherDatabase, "m")) == .invalidArgument)
    #expect(code(DocumentError(.unsupported, "m")) == .unimplemented)
    #expect(code(CancellationError()) == .cancelled && code(CocoaError(.fileNoSuchFile)) == .internal)
    #expect(StoreRemoteError(undecodable: DocumentError(.damaged, "m")).code == .internal)
  }
}
