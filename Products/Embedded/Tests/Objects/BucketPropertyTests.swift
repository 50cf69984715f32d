import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// The properties of buckets and their preconditions; what isn't supported is refused by name.
@Suite(.limited) struct BucketPropertyTests {
  @Test func preconditionsProtectABucket() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    for wrong in ["ifMetagenerationMatch=9", "ifMetagenerationNotMatch=1"] {
      for (method, body) in [(HTTPMethod.patch, "{}"), (.put, "{}"), (.delete, nil)] {
        #expect(try await client.send(method, "?\(wrong)", body).status == 412, "\(method) \(wrong)")
      }
    }
    #expect(try await client.send(.get, "?ifMetagenerationMatch=9").status == 412)
    #expect(try await client.send(.get, "?ifMetagenerationNotMatch=1").status == 304)
    #expect(try await client.send(.get, "?ifMetagenerationMatch=x").status == 400)
    #expect(try await client.send(.delete, "?ifGenerationMatch=1").status == 501)
    #expect(try await client.call(.get, "")["metageneration"] == "1")
    try await client.call(.patch, "?ifMetagenerationMatch=1", "{}")
    try await client.call(.delete, "?ifMetagenerationMatch=2&ifMetagenerationNotMatch=1")
  }

  @Test func aPatchIsAMergePatchAtEveryDepth() async throws {
    let client = try await JSONAPIClient(Backend(), #""labels":{"a":"1","b":"2"}"#)
    client.backend.clock.advance(bySeconds: 60)
    let patched = try await client.call(.patch, "", #"{"labels":{"a":null,"c":"3"}}"#)
    #expect(patched["labels"] == ["b": "2", "c": "3"])
    #expect(patched["updated"] == "2023-11-14T22:14:20.000Z")
    #expect(patched["timeCreated"] == "2023-11-14T22:13:20.000Z")
    #expect(try await client.call(.patch, "", #"{"versioning":{"enabled":true}}"#)["labels"] != nil)
    let replaced = try await client.call(.put, "", #"{"labels":{"d":"4"}}"#)
    #expect(replaced["labels"] == ["d": "4"] && replaced["versioning"] == nil)
    #expect(try await client.call(.patch, "", #"{"labels":null}"#)["labels"] == nil)
  }

  /// Properties upon which the backend would have to act.
  @Test(arguments: [
    #""lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":{"age":1}}]}"#,
    #""cors":[{"origin":["*"]}]"#, #""encryption":{"defaultKmsKeyName":"k"}"#,
    #""billing":{"requesterPays":true}"#, #""autoclass":{"enabled":true}"#,
    #""website":{"mainPageSuffix":"i"}"#, #""logging":{"logBucket":"l"}"#, #""rpo":"ASYNC_TURBO""#,
    #""hierarchicalNamespace":{"enabled":true}"#, #""ipFilter":{"mode":"Enabled"}"#,
  ])
  func anUnsupportedPropertyIsRefusedByName(property: String) async throws {
    let name = try #require(property.split(separator: "\"").first)
    let client = try await JSONAPIClient(Backend(), "")
    for (method, path) in [(HTTPMethod.patch, ""), (.put, ""), (.post, "/storage/v1/b?project=demo")] {
      let refused = try await client.failure(method, path, #"{"name":"n",\#(property)}"#)
      #expect(refused.status == 501 && refused.message.contains(" \(name) "), "\(method): \(refused)")
    }
    #expect(try await client.send(.get, "/storage/v1/b/n").status == 404)
  }

  @Test func aPropertyThatAsksForNothingIsAccepted() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    let nothing =
      #"{"lifecycle":{"rule":[]},"cors":[],"billing":{"requesterPays":false},"autoclass":{"enabled":false},"rpo":"DEFAULT","website":null,"encryption":{},"unknown":7}"#
    let changed = try await client.call(.patch, "", nothing)
    for name in ["lifecycle", "cors", "billing", "unknown", "rpo"] { #expect(changed[name] == nil) }
  }

  @Test(arguments: [
    #""labels":7"#, #""labels":{"a":1}"#, #""versioning":true"#, #""versioning":{"enabled":"x"}"#,
    #""defaultEventBasedHold":"x""#, #""storageClass":"x""#, #""location":"""#, #""iamConfiguration":[]"#,
    #""softDeletePolicy":{"retentionDurationSeconds":"604799"}"#,
    #""softDeletePolicy":{"retentionDurationSeconds":"7776001"}"#,
  ])
  func aPropertyOfAnotherTypeIsRefused(property: String) async throws {
    let client = try await JSONAPIClient(Backend(), "")
    #expect(try await client.send(.patch, "", "{\(property)}").status == 400)
  }

  // MARK: - Objects

  @Test(arguments: [
    #""kmsKeyName":"k""#,
    #""customerEncryption":{"encryptionAlgorithm":"AES256"}"#,
  ])
  func anUnsupportedMemberOfAnObjectIsRefusedByName(member: String) async throws {
    let name = try #require(member.split(separator: "\"").first)
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a")
    let requests: [(HTTPMethod, String)] = [
      (.patch, "o/a"), (.put, "o/a"), (.post, "o/a/rewriteTo/b/b/o/c"),
      (.post, "/upload/storage/v1/b/b/o?uploadType=resumable&name=c"),
    ]
    for (method, path) in requests {
      let refused = try await client.failure(method, path, "{\(member)}")
      #expect(refused.status == 501 && refused.message.contains(" \(name) "), "\(method) \(path): \(refused)")
    }
    #expect(try await client.send(.get, "o/c").status == 404)
  }

  @Test func keysOfCustomersAreRefusedByName() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a")
    let headers = ["x-goog-encryption-algorithm": "AES256", "x-goog-encryption-key": "k"]
    for (method, path) in [(HTTPMethod.get, "o/a?alt=media"), (.post, JSONAPIClient.upload("b"))] {
      let refused = try await client.failure(method, path, method == .get ? nil : "x", headers)
      #expect(refused.status == 501 && refused.message.contains("encryption keys"))
    }
    let source = ["x-goog-copy-source-encryption-key": "k"]
    #expect(try await client.send(.post, "o/a/rewriteTo/b/b/o/c", nil, source).status == 501)
    for path in [JSONAPIClient.upload("b", "&kmsKeyName=k")] {
      #expect(try await client.failure(.post, path, "x").message.contains("kmsKeyName"))
    }
    #expect(try await client.failure(.post, "o/a/rewriteTo/b/b/o/c?destinationKmsKeyName=k").status == 501)
    #expect(try await client.list("").count == 1)
  }
}
