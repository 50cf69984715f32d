import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Numbers in the requests of administrators.
@Suite(.limited) struct NumberTests {
  private let backend = Backend()

  private static let tooLarge: [JSON] = [
    .unsigned(1 << 63), "9223372036854775808", .double(1e308), "99999999999999999999999",
  ]
  private static let unreadable: [JSON] = [
    "NaN", "", "1e3", "0x10", "+1", "1.5", .double(1.5), " 1", "\u{0661}", "1\0", true, [], [:],
  ]
  private static let negative: [JSON] = [-1, .int(.min), "-9223372036854775808"]

  private func users(_ count: Int) async throws {
    for number in 0..<count {
      _ = try await backend.administrate("accounts", ["localId": .string("u\(number)")])
    }
  }

  @Test(arguments: ["offset", "limit"], negative + tooLarge + unreadable)
  func aQueryRejectsInvalidOffsetsAndLimits(name: String, value: JSON) async throws {
    try await users(2)
    let (status, json) = try await backend.administrate("accounts:query", .object([name: value]))
    #expect(status == 400 && json.errorMessage?.contains(name) == true)
  }

  @Test(
    arguments: [
      (0, 0, 2), (1, 1, 1), (2, 5, 0), (.int(.max), .int(.max), 0), (1, .int(.max), 1),
      ("0001", "9223372036854775807", 1),
    ] as [(JSON, JSON, Int)])
  func aQueryCanBeginAtAnyOffset(offset: JSON, limit: JSON, count: Int) async throws {
    try await users(2)
    let (status, json) = try await backend.administrate(
      "accounts:query", ["offset": offset, "limit": limit])
    #expect(status == 200 && json["userInfo"]?.array?.count == count)
  }

  @Test(arguments: negative + tooLarge + unreadable + [.int(253_402_300_800)])
  func aTimeOutOfRangeIsRejected(value: JSON) async throws {
    try await users(1)
    #expect(
      try await backend.administrate("accounts:update", ["localId": "u0", "validSince": value]).status == 400)
    for name in ["createdAt", "lastLoginAt", "validSince"] where value != 253_402_300_800 {
      let user = JSON.object(["localId": "u1", name: value])
      let (status, json) = try await backend.administrate("accounts:batchCreate", ["users": [user]])
      #expect(status == 400 || json["error"]?.array?.first?["message"]?.string == "\(name) is invalid.")
    }
  }

  @Test(arguments: ["-1", "x", "1.5", "9223372036854775808", "+1"])
  func anInvalidPageSizeOfUsersIsRejected(size: String) async throws {
    let url = "https://identitytoolkit.googleapis.com/v1/projects/demo/accounts:batchGet?maxResults=\(size)"
    let response = try await backend.send(.get, url, headers: ["Authorization": "Bearer owner"])
    #expect(response.status == 400)
  }
}
