import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Access control lists, IAM policies and notification configurations, which are stored and returned.
@Suite(.limited) struct AccessControlTests {
  private func entries(_ list: JSON?) -> [String] {
    (list?.array ?? []).map { "\($0["entity"]?.string ?? ""):\($0["role"]?.string ?? "")" }
  }

  private static let teams = [
    "project-owners-1:OWNER", "project-editors-1:OWNER", "project-viewers-1:READER",
  ]

  @Test(arguments: ["acl", "defaultObjectAcl", "o/a/acl"])
  func anEntryIsAddedReadChangedAndDeleted(path: String) async throws {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a")
    #expect(entries(try await client.call(.get, path)["items"]) == Self.teams)
    let added = try await client.call(.post, path, #"{"entity":"user-ada@example.com","role":"READER"}"#)
    #expect(added["entity"] == "user-ada@example.com" && added["email"] == "ada@example.com")
    let one = "\(path)/user-ada@example.com"
    #expect(try await client.call(.get, one) == added)
    #expect(try await client.call(.patch, one, #"{"role":"OWNER"}"#)["role"] == "OWNER")
    #expect(try await client.call(.put, one, #"{"role":"READER"}"#)["role"] == "READER")
    #expect(entries(try await client.call(.get, path)["items"]).count == 4)
    try await client.call(.delete, one)
    #expect(entries(try await client.call(.get, path)["items"]) == Self.teams)
    #expect(try await client.send(.delete, one).status == 404)
    #expect(try await client.send(.get, one).status == 404)
    for body in [
      "{}", #"{"entity":"x","role":"READER"}"#, #"{"entity":"user-","role":"READER"}"#,
      #"{"entity":"allUsers","role":"ALL"}"#, #"{"entity":"allUsers"}"#,
    ] {
      #expect(try await client.send(.post, path, body).status == 400, "\(body)")
    }
    let writer = try await client.send(.post, path, #"{"entity":"allUsers","role":"WRITER"}"#).status
    #expect(writer == (path == "acl" ? 200 : 400))
    #expect(try await client.send(.put, path, "{}").status == 404)
  }

  @Test func listsAreSetWithTheirOwnersAndByName() async throws {
    let client = try await JSONAPIClient(Backend(), "", query: "&predefinedDefaultObjectAcl=publicRead")
    try await client.put("a")
    let read = ["project-owners-1:OWNER", "allUsers:READER"]
    let full = try await client.call(.get, "o/a?projection=full")
    #expect(entries(full["acl"]) == read && full["owner"] != nil)
    #expect(try await client.call(.get, "o/a")["acl"] == nil)
    try await client.put("b", "x", "&predefinedAcl=authenticatedRead")
    #expect(
      entries(try await client.call(.get, "o/b/acl")["items"])
        == ["project-owners-1:OWNER", "allAuthenticatedUsers:READER"])
    let patched = try await client.call(
      .patch, "o/b?projection=full", #"{"acl":[{"entity":"domain-example.com","role":"READER","etag":"x"}]}"#)
    #expect(entries(patched["acl"]) == ["domain-example.com:READER"] && patched["metageneration"] == "2")
    // A copy has the list of its bucket for new objects.
    let copied = try await client.call(.post, "o/b/copyTo/b/b/o/c?projection=full")
    #expect(entries(copied["acl"]) == read)
    let named = try await client.call(
      .post, "o/b/copyTo/b/b/o/d?projection=full&destinationPredefinedAcl=private")
    #expect(entries(named["acl"]) == ["project-owners-1:OWNER"])
    let moved = try await client.call(.post, "o/b/moveTo/o/e?projection=full")
    #expect(entries(moved["acl"]) == ["domain-example.com:READER"])
    let bucket = try await client.call(.patch, "?projection=full&predefinedAcl=publicReadWrite", "{}")
    #expect(entries(bucket["acl"]) == ["project-owners-1:OWNER", "allUsers:WRITER"])
    #expect(entries(bucket["defaultObjectAcl"]) == read)
    #expect(try await client.call(.get, "")["acl"] == nil)
    #expect(try await client.send(.post, JSONAPIClient.upload("f", "&predefinedAcl=all"), "x").status == 400)
    #expect(try await client.send(.patch, "o/e", #"{"acl":7}"#).status == 400)
    let many = (0...100).map { #"{"entity":"user-\#($0)","role":"READER"}"# }.joined(separator: ",")
    #expect(try await client.send(.patch, "o/e", "{\"acl\":[\(many)]}").status == 400)
  }

  @Test func theConfigurationOfABucketDisablesLists() async throws {
    let client = try await JSONAPIClient(
      Backend(), #""iamConfiguration":{"uniformBucketLevelAccess":{"enabled":true}}"#)
    try await client.put("a")
    let configuration = try await client.call(.get, "")["iamConfiguration"]
    #expect(configuration?["uniformBucketLevelAccess"]?["lockedTime"] == "2024-02-12T22:13:20.000Z")
    for path in ["acl", "defaultObjectAcl", "o/a/acl"] {
      #expect(try await client.send(.get, path).status == 400)
      #expect(try await client.send(.post, path, #"{"entity":"allUsers","role":"READER"}"#).status == 400)
    }
    #expect(try await client.send(.patch, "o/a", #"{"acl":[]}"#).status == 400)
    #expect(
      try await client.send(.post, JSONAPIClient.upload("b", "&predefinedAcl=private"), "x").status == 400)
    try await client.call(
      .patch, "",
      #"{"iamConfiguration":{"uniformBucketLevelAccess":{"enabled":false},"publicAccessPrevention":"enforced"}}"#
    )
    for path in ["acl", "o/a/acl"] {
      #expect(try await client.send(.post, path, #"{"entity":"allUsers","role":"READER"}"#).status == 412)
      #expect(try await client.send(.post, path, #"{"entity":"user-a","role":"READER"}"#).status == 200)
    }
    let open = #"{"bindings":[{"role":"r","members":["allUsers"]}]}"#
    #expect(try await client.send(.put, "iam", open).status == 412)
    #expect(
      try await client.send(.patch, "", #"{"iamConfiguration":{"publicAccessPrevention":"x"}}"#).status == 400
    )
  }

  /// An entry about everybody opens nothing.
  @Test func aListDoesNotReplaceRules() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a", "x", "&predefinedAcl=publicRead")
    client.backend.embedded.onObjectAccess { _ in false }
    #expect(try await client.send(.get, "o/a?alt=media").status == 401)
    #expect(try await client.send(.get, "/v0/b/b/o/a?alt=media").status == 403)
  }

  // MARK: - Policies

  @Test func aPolicyIsStoredWithItsVersion() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    let first = try await client.call(.get, "iam")
    #expect(first["bindings"]?.array?.count == 2 && first["version"] == 1)
    let etag = try #require(first["etag"]?.string)
    let bindings = #"[{"role":"roles/storage.objectViewer","members":["user:ada@example.com"]}]"#
    let set = try await client.call(.put, "iam", #"{"etag":"\#(etag)","bindings":\#(bindings)}"#)
    #expect(set["bindings"] == (try JSON(parsing: Data(bindings.utf8))))
    #expect(try await client.call(.get, "iam") == set)
    #expect(try await client.failure(.put, "iam", #"{"etag":"\#(etag)","bindings":[]}"#).status == 412)
    let condition = #"{"bindings":[{"role":"r","members":["user:a"],"condition":{"expression":"true"}}]"#
    // Conditions need uniform access, and version 3.
    #expect(try await client.send(.put, "iam", "\(condition),\"version\":3}").status == 412)
    try await client.call(.patch, "", #"{"iamConfiguration":{"uniformBucketLevelAccess":{"enabled":true}}}"#)
    #expect(try await client.send(.put, "iam", "\(condition)}").status == 400)
    #expect(try await client.send(.put, "iam", "\(condition),\"version\":3}").status == 200)
    for body in [
      #"{"bindings":7}"#, #"{"bindings":[{"members":[]}]}"#, #"{"bindings":[{"role":"r","members":[1]}]}"#,
    ] {
      #expect(try await client.send(.put, "iam", body).status == 400, "\(body)")
    }
    let permissions = "permissions=storage.objects.get&permissions=storage.buckets.update"
    #expect(
      try await client.call(.get, "iam/testPermissions?\(permissions)")["permissions"]
        == ["storage.objects.get", "storage.buckets.update"])
    #expect(try await client.send(.get, "iam/testPermissions").status == 400)
    #expect(try await client.send(.get, "/storage/v1/b/none/iam").status == 404)
  }

  // MARK: - Notifications

  @Test func notificationConfigurationsAreStoredAndReturned() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let client = try await JSONAPIClient(Backend(directory: directory.path), "")
    #expect(try await client.call(.get, "notificationConfigs")["items"] == nil)
    let topic = #""topic":"//pubsub.googleapis.com/projects/p/topics/t""#
    let created = try await client.call(
      .post, "notificationConfigs",
      "{\(topic),\"payload_format\":\"JSON_API_V1\",\"event_types\":[\"OBJECT_FINALIZE\"],\"custom_attributes\":{\"a\":\"b\"}}"
    )
    #expect(created["id"] == "1" && created["custom_attributes"] == ["a": "b"])
    #expect(try await client.call(.post, "notificationConfigs", "{\(topic)}")["id"] == "2")
    for body in ["{}", "{\(topic),\"payload_format\":\"x\"}", "{\(topic),\"event_types\":[\"x\"]}"] {
      #expect(try await client.send(.post, "notificationConfigs", body).status == 400, "\(body)")
    }
    try await client.call(.delete, "notificationConfigs/2")
    #expect(try await client.send(.delete, "notificationConfigs/2").status == 404)
    await client.backend.embedded.close()
    let again = try await JSONAPIClient(Backend(directory: directory.path))
    #expect(try await again.call(.get, "notificationConfigs")["items"] == .array([created]))
    #expect(try await again.call(.get, "notificationConfigs/1") == created)
  }
}
