import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Holds, retention policies and the retention of single objects.
@Suite(.limited) struct ObjectProtectionTests {
  /// Every request that would delete or replace the object `a`, by its name.
  private static let removals: [(HTTPMethod, String, String?)] = [
    (.delete, "o/a", nil), (.post, JSONAPIClient.upload("a"), "new"),
    (.post, "/upload/storage/v1/b/b/o?uploadType=resumable&name=a", "{}"),
    (.post, "o/other/rewriteTo/b/b/o/a", nil), (.post, "o/other/copyTo/b/b/o/a", nil),
    (.post, "o/a/compose", #"{"sourceObjects":[{"name":"other"}]}"#),
    (.delete, "/v0/b/b/o/a", nil), (.post, "/v0/b/b/o?name=a", "new"),
  ]

  private func expectProtected(_ client: JSONAPIClient, _ reason: String) async throws {
    for (method, path, body) in Self.removals {
      let failure = try await client.failure(method, path, body)
      #expect(failure.status == 403 && failure.reason == reason, "\(method) \(path): \(failure)")
    }
    #expect(try await client.content("a") == "hello")
  }

  @Test(arguments: ["temporaryHold", "eventBasedHold"], ["", #""versioning":{"enabled":true}"#])
  func aHeldObjectIsNeitherDeletedNorReplaced(hold: String, properties: String) async throws {
    let client = try await JSONAPIClient(Backend(), properties)
    try await client.put("other", "new")
    try await client.put("a")
    let held = try await client.call(.patch, "o/a", #"{"\#(hold)":true}"#)
    #expect(held[hold] == true && held["metageneration"] == "2")
    try await expectProtected(client, "objectUnderActiveHold")
    // Its metadata can be changed.
    try await client.call(.patch, "o/a", #"{"metadata":{"k":"v"}}"#)
    #expect(try await client.call(.get, "o/a")[hold] == true)
    try await client.call(.patch, "o/a", #"{"\#(hold)":false}"#)
    #expect(try await client.call(.get, "o/a")[hold] == nil)
    try await client.call(.delete, "o/a")
  }

  @Test func aHoldIsSetByAnUploadAndByTheBucket() async throws {
    let client = try await JSONAPIClient(Backend(), #""defaultEventBasedHold":true"#)
    try await client.put("a")
    #expect(try await client.call(.get, "o/a")["eventBasedHold"] == true)
    #expect(try await client.failure(.delete, "o/a").reason == "objectUnderActiveHold")
    let url = try #require(
      try await client.send(
        .post, "/upload/storage/v1/b/b/o?uploadType=resumable&name=r", #"{"temporaryHold":true}"#
      ).headers["Location"])
    let finished = try await client.send(.put, String(url.dropFirst(client.origin.count)), "x")
    #expect(try JSON(parsing: finished.body)["temporaryHold"] == true)
    // Without the member, an update ends it.
    try await client.call(.put, "o/r", "{}")
    #expect(try await client.call(.get, "o/r")["temporaryHold"] == nil)
    #expect(try await client.send(.patch, "o/r", #"{"temporaryHold":"x"}"#).status == 400)
  }

  /// An upload that was begun before the hold isn't lost: it can be finished when the hold has ended.
  @Test func anUploadOntoAHeldObjectRemains() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a")
    let url = try #require(
      try await client.send(.post, "/upload/storage/v1/b/b/o?uploadType=resumable&name=a", "{}")
        .headers["Location"])
    let path = String(url.dropFirst(client.origin.count))
    try await client.call(.patch, "o/a", #"{"temporaryHold":true}"#)
    #expect(try await client.failure(.put, path, "new").reason == "objectUnderActiveHold")
    try await client.call(.patch, "o/a", #"{"temporaryHold":false}"#)
    #expect(try await client.send(.put, path, nil, ["Content-Range": "bytes */3"]).status == 200)
    #expect(try await client.content("a") == "new")
  }

  // MARK: - Retention policies

  @Test func anObjectIsRetainedForThePeriodOfItsBucket() async throws {
    let client = try await JSONAPIClient(Backend(), #""retentionPolicy":{"retentionPeriod":"100"}"#)
    try await client.put("other", "new")
    client.backend.clock.advance(bySeconds: 10)
    try await client.put("a")
    #expect(try await client.call(.get, "o/a")["retentionExpirationTime"] == "2023-11-14T22:15:10.000Z")
    #expect(try await client.call(.get, "o")["items"]?.array?.first?["retentionExpirationTime"] != nil)
    client.backend.clock.advance(bySeconds: 99)
    try await expectProtected(client, "retentionPolicyNotMet")
    client.backend.clock.advance(bySeconds: 1)
    try await client.call(.delete, "o/a")
  }

  @Test func theEndOfAnEventBasedHoldBeginsTheRetention() async throws {
    let client = try await JSONAPIClient(
      Backend(), #""retentionPolicy":{"retentionPeriod":"100"},"defaultEventBasedHold":true"#)
    try await client.put("a")
    #expect(try await client.call(.get, "o/a")["retentionExpirationTime"] == nil)
    client.backend.clock.advance(bySeconds: 1_000)
    let released = try await client.call(.patch, "o/a", #"{"eventBasedHold":false}"#)
    #expect(released["retentionExpirationTime"] == "2023-11-14T22:31:40.000Z")
    client.backend.clock.advance(bySeconds: 99)
    #expect(try await client.failure(.delete, "o/a").reason == "retentionPolicyNotMet")
    client.backend.clock.advance(bySeconds: 1)
    try await client.call(.delete, "o/a")
  }

  /// With versioning, a retained object may become noncurrent, but isn't lost.
  @Test func aNoncurrentVersionIsRetained() async throws {
    let client = try await JSONAPIClient(
      Backend(), #""retentionPolicy":{"retentionPeriod":"100"},"versioning":{"enabled":true}"#)
    let first = try await client.put("a", "one")
    try await client.put("a", "two")
    #expect(try await client.failure(.delete, "o/a?generation=\(first)").reason == "retentionPolicyNotMet")
    client.backend.clock.advance(bySeconds: 100)
    try await client.call(.delete, "o/a?generation=\(first)")
  }

  @Test func aLockedPolicyCanOnlyBeExtended() async throws {
    let client = try await JSONAPIClient(Backend(), #""retentionPolicy":{"retentionPeriod":"100"}"#)
    #expect(try await client.send(.post, "lockRetentionPolicy").status == 400)
    #expect(try await client.send(.post, "lockRetentionPolicy?ifMetagenerationMatch=9").status == 412)
    let locked = try await client.call(.post, "lockRetentionPolicy?ifMetagenerationMatch=1")
    #expect(locked["retentionPolicy"]?["isLocked"] == true && locked["metageneration"] == "2")
    #expect(try await client.send(.patch, "", #"{"retentionPolicy":null}"#).status == 403)
    #expect(try await client.send(.put, "", "{}").status == 403)
    #expect(try await client.send(.patch, "", #"{"retentionPolicy":{"retentionPeriod":"99"}}"#).status == 403)
    let extended = try await client.call(
      .patch, "", #"{"retentionPolicy":{"retentionPeriod":"101","isLocked":false}}"#)
    #expect(extended["retentionPolicy"]?["retentionPeriod"] == "101")
    #expect(extended["retentionPolicy"]?["isLocked"] == true)
    // One that isn't locked can be reduced and removed.
    try await client.call(
      .post, "/storage/v1/b?project=demo", #"{"name":"open","retentionPolicy":{"retentionPeriod":"5"}}"#)
    try await client.call(.patch, "/storage/v1/b/open", #"{"retentionPolicy":{"retentionPeriod":4}}"#)
    let removed = try await client.call(.patch, "/storage/v1/b/open", #"{"retentionPolicy":null}"#)
    #expect(removed["retentionPolicy"] == nil)
    #expect(
      try await client.send(.post, "/storage/v1/b/open/lockRetentionPolicy?ifMetagenerationMatch=3").status
        == 400)
  }

  @Test(arguments: ["0", "-1", "1.5", "x", "3155760001", "9223372036854775808", ""])
  func aPeriodThatIsNoneIsRefused(period: String) async throws {
    let client = try await JSONAPIClient(Backend(), "")
    let body = #"{"retentionPolicy":{"retentionPeriod":"\#(period)","isLocked":true}}"#
    #expect(try await client.send(.patch, "", body).status == 400)
    let soft = #"{"softDeletePolicy":{"retentionDurationSeconds":"\#(period)","effectiveTime":"x"}}"#
    #expect(try await client.send(.patch, "", soft).status == (period == "0" ? 200 : 400))
  }

  // MARK: - The retention of an object

  private func retention(_ mode: String, _ time: String) -> String {
    #"{"retention":{"mode":"\#(mode)","retainUntilTime":"\#(time)"}}"#
  }

  @Test func anObjectHasItsOwnRetention() async throws {
    let client = try await JSONAPIClient(Backend(), "", query: "&enableObjectRetention=true")
    #expect(try await client.call(.get, "")["objectRetention"] == ["mode": "Enabled"])
    try await client.put("other", "new")
    try await client.put("a")
    let unlocked = retention("Unlocked", "2023-11-14T22:15:00Z")
    let set = try await client.call(.patch, "o/a", unlocked)
    #expect(set["retention"] == ["mode": "Unlocked", "retainUntilTime": "2023-11-14T22:15:00.000Z"])
    try await expectProtected(client, "retentionPolicyNotMet")
    // Without the override, it can only be extended.
    for change in [retention("Unlocked", "2023-11-14T22:14:00Z"), #"{"retention":null}"#] {
      #expect(try await client.send(.patch, "o/a", change).status == 403)
    }
    let locked = retention("Locked", "2023-11-14T22:16:00Z")
    #expect(try await client.send(.patch, "o/a", locked).status == 403)
    try await client.call(.patch, "o/a?overrideUnlockedRetention=true", locked)
    for change in [unlocked, retention("Locked", "2023-11-14T22:15:59Z"), #"{"retention":null}"#] {
      #expect(try await client.send(.patch, "o/a?overrideUnlockedRetention=true", change).status == 403)
    }
    try await client.call(.patch, "o/a", retention("Locked", "2023-11-14T22:16:01Z"))
    client.backend.clock.advance(bySeconds: 160)
    #expect(try await client.failure(.delete, "o/a").reason == "retentionPolicyNotMet")
    client.backend.clock.advance(bySeconds: 1)
    try await client.call(.delete, "o/a")
  }

  @Test func aRetentionThatIsNoneIsRefused() async throws {
    let open = try await JSONAPIClient(Backend(), "")
    try await open.put("a")
    #expect(try await open.send(.patch, "o/a", retention("Locked", "2030-01-01T00:00:00Z")).status == 400)
    let client = try await JSONAPIClient(Backend(), "", query: "&enableObjectRetention=true")
    try await client.put("a")
    let none = [
      retention("Open", "2030-01-01T00:00:00Z"), retention("Locked", "2023-01-01T00:00:00Z"),
      retention("Locked", "x"), #"{"retention":{"mode":"Locked"}}"#, #"{"retention":7}"#,
      #"{"eventBasedHold":true,"retention":{"mode":"Locked","retainUntilTime":"2030-01-01T00:00:00Z"}}"#,
    ]
    for change in none { #expect(try await client.send(.patch, "o/a", change).status == 400, "\(change)") }
    // The bucket keeps that it allows retentions.
    #expect(try await client.call(.put, "", "{}")["objectRetention"] == ["mode": "Enabled"])
  }

  // MARK: - Storage classes and custom times

  @Test func storageClassesAndCustomTimesAreStored() async throws {
    let client = try await JSONAPIClient(Backend(), #""storageClass":"NEARLINE""#)
    try await client.put("a")
    #expect(try await client.call(.get, "o/a")["storageClass"] == "NEARLINE")
    #expect(try await client.send(.get, "o/a?alt=media").headers["X-Goog-Storage-Class"] == "NEARLINE")
    let same = #"{"customTime":"2026-01-31T12:00:00.123456+01:00","storageClass":"NEARLINE"}"#
    #expect(try await client.call(.patch, "o/a", same)["customTime"] == "2026-01-31T11:00:00.123456Z")
    for change in [
      #"{"customTime":"2026-01-31T10:59:59Z"}"#, #"{"customTime":null}"#, #"{"customTime":"x"}"#,
      #"{"customTime":5}"#, #"{"storageClass":"COLDLINE"}"#, #"{"storageClass":"x"}"#,
    ] {
      #expect(try await client.send(.patch, "o/a", change).status == 400, "\(change)")
    }
    let rewritten = try await client.call(.post, "o/a/rewriteTo/b/b/o/a", #"{"storageClass":"COLDLINE"}"#)
    #expect(rewritten["resource"]?["storageClass"] == "COLDLINE")
    let copied = try await client.call(.post, "o/a/copyTo/b/b/o/c")
    #expect(copied["storageClass"] == "COLDLINE")
    #expect(try await client.send(.patch, "", #"{"storageClass":"x"}"#).status == 400)
  }

  @Test func aCompositionOntoALoadedObjectIgnoresItsChecksums() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a")
    let loaded = String(decoding: try await client.send(.get, "o/a").body, as: UTF8.self)
    let body = #"{"sourceObjects":[{"name":"a","generation":null},{"name":"a"}],"destination":\#(loaded)}"#
    let composed = try await client.call(.post, "o/a/compose", body)
    #expect(composed["size"] == "10" && composed["componentCount"] == 2)
    #expect(try await client.content("a") == "hellohello")
    for generation in ["x", "-1", "{}", "1.5"] {
      let wrong = #"{"sourceObjects":[{"name":"a","generation":"\#(generation)"}]}"#
      #expect(try await client.send(.post, "o/a/compose", wrong).status == 400)
    }
  }
}
