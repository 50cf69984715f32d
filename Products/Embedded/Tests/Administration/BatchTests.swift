import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct BatchTests {
  private let backend = Backend()
  private let owner = ["Authorization": "Bearer owner"]
  private let base = "https://identitytoolkit.googleapis.com/v1/projects/demo"

  private func list(_ query: String) async throws -> JSON {
    let response = try await backend.send(.get, "\(base)/accounts:batchGet?\(query)", headers: owner)
    #expect(response.status == 200)
    return try JSON(parsing: response.body)
  }

  private func ids(_ page: JSON) -> [String] {
    (page["users"]?.array ?? []).compactMap { $0["localId"]?.string }
  }

  private func create(_ ids: [String]) async throws {
    for id in ids { _ = try await backend.administrate("accounts", ["localId": .string(id)]) }
  }

  @Test func allUsersAreListedPageByPage() async throws {
    try await create(["c", "a", "b"])
    let first = try await list("maxResults=2")
    #expect(ids(first) == ["a", "b"] && first["nextPageToken"] == "b")
    let second = try await list("maxResults=2&nextPageToken=b")
    #expect(ids(second) == ["c"] && second["nextPageToken"] == nil)
    let full = try await list("maxResults=3")
    #expect(ids(full) == ["a", "b", "c"] && full["nextPageToken"] == "c")
    #expect(try await list("nextPageToken=c")["users"] == nil)
  }

  @Test func theOlderAPIListsUsers() async throws {
    try await create(["a"])
    let url = "https://www.googleapis.com/identitytoolkit/v3/relyingparty/downloadAccount"
    let body: JSON = ["targetProjectId": "demo", "maxResults": 5]
    let (status, json) = try await backend.post(url, body: body.serialized, headers: owner)
    #expect(status == 200 && ids(json) == ["a"])
    #expect(try await backend.post("\(url)?key=any", body: body.serialized).status == 401)
  }

  @Test func usersAreCountedAndFound() async throws {
    try await create(["b", "a"])
    let (_, count) = try await backend.administrate("accounts:query", ["returnUserInfo": false])
    #expect(count == ["recordsCount": "2"])
    let (_, all) = try await backend.administrate("accounts:query", [:])
    #expect(all["userInfo"]?.array?.compactMap { $0["localId"]?.string } == ["a", "b"])
    let (_, page) = try await backend.administrate("accounts:query", ["offset": 1, "limit": 1])
    #expect(page["userInfo"]?.array?.count == 1 && page["recordsCount"] == "2")
  }

  @Test func onlyDisabledUsersAreBatchDeletedUnlessForced() async throws {
    try await create(["a", "b"])
    _ = try await backend.administrate("accounts:update", ["localId": "a", "disableUser": true])
    let body: JSON = ["localIds": ["a", "b", "unknown"]]
    let (_, json) = try await backend.administrate("accounts:batchDelete", body)
    #expect(json["errors"]?.array?.count == 1)
    #expect(json["errors"]?.array?.first?["localId"] == "b" && json["errors"]?.array?.first?["index"] == 1)
    #expect(try await ids(list("")) == ["b"])
    let forced: JSON = ["localIds": ["b"], "force": true]
    #expect(try await backend.administrate("accounts:batchDelete", forced).json == [:])
    #expect(try await ids(list("")) == [])
  }

  @Test(arguments: [0, 1_001])
  func batchDeletionLimitsTheNumberOfIDs(count: Int) async throws {
    let ids = JSON.array((0..<count).map { .string("user-\($0)") })
    let (_, json) = try await backend.administrate("accounts:batchDelete", ["localIds": ids])
    #expect(json.errorMessage == "LOCAL_ID_LIST_EXCEEDS_LIMIT")
  }

  @Test(arguments: ["accounts:batchGet", "accounts:batchDelete", "accounts:batchCreate", "accounts:query"])
  func onlyAdministratorsCanUseBatchMethods(method: String) async throws {
    #expect(try await backend.call("projects/demo/\(method)").status == (method.hasSuffix("Get") ? 404 : 401))
    #expect(try await backend.call(method).status == 404)
    let url = "\(base)/\(method)?key=any"
    #expect(try await backend.send(.get, url).status == (method.hasSuffix("Get") ? 401 : 404))
  }

  @Test func anotherProjectIsNotServed() async throws {
    let url = "https://identitytoolkit.googleapis.com/v1/projects/other/accounts:lookup"
    #expect(try await backend.post(url, body: Data("{}".utf8), headers: owner).status == 404)
    let older = "https://www.googleapis.com/identitytoolkit/v3/relyingparty/downloadAccount"
    let body = Data(#"{"targetProjectId":"other"}"#.utf8)
    #expect(try await backend.post(older, body: body, headers: owner).status == 404)
  }

  @Test func usersAreFoundByTheirIdentitiesAtProviders() async throws {
    let link: JSON = ["localId": "a", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "g1"]]
    try await create(["a", "b"])
    #expect(try await backend.administrate("accounts:update", link).status == 200)
    let body: JSON = ["federatedUserId": [["providerId": "google.com", "rawId": "g1"]], "localId": ["a"]]
    let (_, json) = try await backend.administrate("accounts:lookup", body)
    #expect(ids(json) == ["a"])
    let again: JSON = ["localId": "b", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "g1"]]
    let (_, taken) = try await backend.administrate("accounts:update", again)
    #expect(taken.errorMessage == "FEDERATED_USER_ID_ALREADY_LINKED")
    let lacking: JSON = ["localId": "b", "linkProviderUserInfo": ["providerId": "google.com"]]
    #expect(try await backend.administrate("accounts:update", lacking).status == 400)
  }

  @Test(arguments: [(nil, 1_209_600), ("300", 300), ("299", nil), ("1209601", nil)] as [(String?, Int64?)])
  func aSessionCookieHasTheRequestedLifetime(duration: String?, seconds: Int64?) async throws {
    let (_, session) = try await backend.call("accounts:signUp")
    var body: [String: JSON] = ["idToken": try #require(session["idToken"])]
    body["validDuration"] = duration.map(JSON.string)
    let url = "\(base):createSessionCookie"
    let (_, json) = try await backend.post(url, body: JSON.object(body).serialized, headers: owner)
    guard let seconds else {
      #expect(json.errorMessage == "INVALID_DURATION")
      return
    }
    let cookie = try json.token("sessionCookie")
    #expect(cookie.claims["iss"] == "https://session.firebase.google.com/demo")
    #expect(cookie.expires - cookie.issuedAt == seconds)
    #expect(cookie.userID == session["localId"]?.string)
    let (_, missing) = try await backend.post(url, body: Data("{}".utf8), headers: owner)
    #expect(missing.errorMessage == "MISSING_ID_TOKEN")
    let (_, invalid) = try await backend.post(url, body: Data(#"{"idToken":"x"}"#.utf8), headers: owner)
    #expect(invalid.errorMessage == "INVALID_ID_TOKEN")
  }

  @Test func onlyAdministratorsCanNameAProject() async throws {
    let (_, json) = try await backend.call("accounts:signUp", ["targetProjectId": "demo"])
    #expect(
      json.errorMessage
        == "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."
    )
  }
}
