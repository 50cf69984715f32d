import TenonFoundation
import TenonTestSupport
import Testing

@Suite(.limited) struct StatusCodeTests {
  // The table of google/rpc/code.proto.
  @Test(arguments: [
    (0, "OK", "ok", 200), (1, "CANCELLED", "cancelled", 499), (2, "UNKNOWN", "unknown", 500),
    (3, "INVALID_ARGUMENT", "invalid-argument", 400), (4, "DEADLINE_EXCEEDED", "deadline-exceeded", 504),
    (5, "NOT_FOUND", "not-found", 404), (6, "ALREADY_EXISTS", "already-exists", 409),
    (7, "PERMISSION_DENIED", "permission-denied", 403),
    (8, "RESOURCE_EXHAUSTED", "resource-exhausted", 429),
    (9, "FAILED_PRECONDITION", "failed-precondition", 400), (10, "ABORTED", "aborted", 409),
    (11, "OUT_OF_RANGE", "out-of-range", 400), (12, "UNIMPLEMENTED", "unimplemented", 501),
    (13, "INTERNAL", "internal", 500), (14, "UNAVAILABLE", "unavailable", 503),
    (15, "DATA_LOSS", "data-loss", 500), (16, "UNAUTHENTICATED", "unauthenticated", 401),
  ])
  func aCodeHasItsNumberItsNamesAndItsHTTPStatus(
    number: Int, name: String, hyphenated: String, status: Int
  ) throws {
    let code = try #require(StatusCode(rawValue: number))
    #expect(code.name == name && code.hyphenatedName == hyphenated && code.httpStatus == status)
    #expect(StatusCode(name: name) == code && StatusCode(hyphenatedName: hyphenated) == code)
  }

  @Test func otherNamesAndNumbersAreNoCodes() {
    #expect(StatusCode(name: "not-found") == nil && StatusCode(name: "Not_Found") == nil)
    #expect(StatusCode(hyphenatedName: "NOT_FOUND") == nil && StatusCode(hyphenatedName: "") == nil)
    #expect(StatusCode(rawValue: 17) == nil && StatusCode(rawValue: -1) == nil)
  }
}
