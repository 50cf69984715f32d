import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// IAM policies and notification configurations of buckets. They are stored and returned. Policies open and
/// close nothing, as access control lists; nothing is sent to Pub/Sub, which the backend doesn't have.
extension ObjectService {
  /// The greatest size of a policy or of all notification configurations, in bytes.
  private static let largestPolicy = 64 << 10
  /// The greatest number of notification configurations of a bucket, as on Cloud Storage.
  private static let mostNotifications = 100

  /// Handles `GET` and `PUT` of `iam`.
  func policy(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    switch call.method {
    case .get: return try Self.answer(200, json: try await existingBucket(call).policyResource)
    case .put:
      let members = try await call.members()
      let policy = try Self.policy(members)
      let etag = members["etag"]?.string
      let bucket = try await changedBucket(call) { bucket in
        guard etag == nil || etag?.isEmpty == true || etag == bucket.etag else {
          throw Refusal.failedCondition
        }
        guard !Self.hasConditions(policy) || bucket.hasUniformAccess else { throw Self.needsUniformAccess }
        guard !Self.hasConditions(policy) || policy["version"] == 3 else { throw Self.needsVersion3 }
        guard !bucket.preventsPublicAccess || !Self.isPublic(policy) else {
          throw StoredBucket.publicAccessPrevented
        }
        bucket.policy = policy
      }
      return try Self.answer(200, json: bucket.policyResource)
    default: throw Refusal.notFound
    }
  }

  /// Handles `GET` of `iam/testPermissions`: whoever may use the JSON API has all permissions.
  func testPermissions(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    _ = try await existingBucket(call)
    let items = URLComponents(url: call.request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    let asked = items.filter { $0.name == "permissions" }.compactMap(\.value)
    guard !asked.isEmpty, asked.count <= 100, asked.allSatisfy({ $0.hasPrefix("storage.") }) else {
      throw Refusal.badObjectRequest("permissions must name 1 to 100 permissions of Cloud Storage.")
    }
    return try Self.answer(
      200,
      json: ["kind": "storage#testIamPermissionsResponse", "permissions": .array(asked.map(JSON.string))])
  }

  /// Reads a policy.
  ///
  /// - Throws: ``Refusal`` with status 400.
  private static func policy(_ members: [String: JSON]) throws -> JSON {
    let bindings = members["bindings"] ?? []
    let isValid = bindings.array?.allSatisfy { binding in
      binding["role"]?.string?.isEmpty == false
        && (binding["members"] ?? []).array?.allSatisfy { $0.string?.isEmpty == false } == true
    }
    let version = members["version"]?.text.flatMap { Int64(decimal: $0) } ?? 1
    let policy: JSON = ["version": .int(version), "bindings": bindings]
    guard isValid == true, version == 1 || version == 3, try policy.serialized.count <= largestPolicy
    else {
      throw Refusal.badObjectRequest(
        "A policy must have bindings with a role and members, the version 1 or 3, and at most \(largestPolicy) bytes."
      )
    }
    return policy
  }

  /// Returns whether a binding of a policy has a condition.
  private static func hasConditions(_ policy: JSON) -> Bool {
    policy["bindings"]?.array?.contains { $0["condition"]?.asksForNothing == false } == true
  }

  private static let needsUniformAccess = Refusal(
    412, "To set conditions in the policy of a bucket, enable uniform bucket-level access for it.",
    reason: "conditionNotMet")
  private static let needsVersion3 = Refusal.badObjectRequest(
    "The version of a policy with conditions must be at least 3.")

  /// Returns whether a policy is about everybody.
  private static func isPublic(_ policy: JSON) -> Bool {
    (policy["bindings"]?.array ?? []).contains { binding in
      (binding["members"]?.array ?? []).contains { $0 == "allUsers" || $0 == "allAuthenticatedUsers" }
    }
  }

  // MARK: - Notifications

  /// Handles the methods of `notificationConfigs`, and with an ID those of one configuration.
  func notifications(_ call: ObjectCall, _ id: String?) async throws -> TransportStreamingResponse {
    let (bucket, origin) = (call.bucket, call.linkOrigin)
    let resource = { (id: String, configuration: JSON) in
      JSON.object(
        (configuration.object ?? [:]).merging([
          "kind": "storage#notification", "id": .string(id), "etag": .string(id),
          "selfLink": .string(
            "\(origin)/storage/v1/b/\(PercentEncoding.queryValue(bucket))/notificationConfigs/\(id)"),
        ]) { $1 })
    }
    let missing = Refusal(404, "There is no such notification configuration.", reason: "notFound")
    switch (call.method, id) {
    case (.get, nil):
      let stored = try await existingBucket(call).notifications
      let items = stored.sorted { (Int64(decimal: $0.key) ?? 0) < (Int64(decimal: $1.key) ?? 0) }
        .map { resource($0.key, $0.value) }
      return try Self.answer(
        200, json: .members(["kind": "storage#notifications", "items": items.isEmpty ? nil : .array(items)]))
    case (.get, let id?):
      guard let found = try await existingBucket(call).notifications[id] else { throw missing }
      return try Self.answer(200, json: resource(id, found))
    case (.post, nil):
      let configuration = try Self.notification(try await call.members())
      let created = try await changedBucket(call) { bucket in
        let last = bucket.notifications.keys.compactMap { Int64(decimal: $0) }.max() ?? 0
        bucket.notifications.updateValue(configuration, forKey: String(last &+ 1))
        guard bucket.notifications.count <= Self.mostNotifications,
          try JSON.object(bucket.notifications).serialized.count <= Self.largestPolicy
        else {
          throw Refusal.badObjectRequest(
            "A bucket has at most \(Self.mostNotifications) notification configurations, of \(Self.largestPolicy) bytes in all."
          )
        }
      }
      let new = created.notifications.keys.max { (Int64(decimal: $0) ?? 0) < (Int64(decimal: $1) ?? 0) } ?? ""
      return try Self.answer(200, json: resource(new, configuration))
    case (.delete, let id?):
      _ = try await changedBucket(call) { bucket in
        guard bucket.notifications.removeValue(forKey: id) != nil else { throw missing }
      }
      return TransportStreamingResponse(TransportResponse(status: 204))
    default: throw Refusal.notFound
    }
  }

  /// Reads a notification configuration.
  ///
  /// - Throws: ``Refusal`` with status 400.
  private static func notification(_ members: [String: JSON]) throws -> JSON {
    let names = ["topic", "payload_format", "event_types", "custom_attributes", "object_name_prefix"]
    let events = ["OBJECT_FINALIZE", "OBJECT_METADATA_UPDATE", "OBJECT_DELETE", "OBJECT_ARCHIVE"]
    let formats = ["JSON_API_V1", "NONE"]
    guard let topic = members["topic"]?.string, topic.contains("projects/"), topic.contains("/topics/"),
      formats.contains(members["payload_format"]?.string ?? "JSON_API_V1"),
      (members["event_types"] ?? []).array?.allSatisfy({ events.contains($0.string ?? "") }) == true
    else {
      throw Refusal.badObjectRequest(
        "A notification configuration must have a topic (//pubsub.googleapis.com/projects/P/topics/T), a payload_format (\(formats.joined(separator: ", "))) and event_types (\(events.joined(separator: ", ")))."
      )
    }
    return .object(members.filter { names.contains($0.key) && $0.value != .null })
  }
}

extension StoredBucket {
  /// The entity tag, which changes with every change.
  var etag: String { Data(String(metageneration).utf8).base64EncodedString() }

  /// The IAM policy as a resource: the one that a client has set, or that of the project's teams.
  var policyResource: JSON {
    let teams: JSON = [
      [
        "role": "roles/storage.legacyBucketOwner",
        "members": [.string("projectEditor:\(name)"), .string("projectOwner:\(name)")],
      ],
      ["role": "roles/storage.legacyBucketReader", "members": [.string("projectViewer:\(name)")]],
    ]
    return [
      "kind": "storage#policy", "resourceId": .string("projects/_/buckets/\(name)"),
      "version": policy?["version"] ?? 1, "etag": .string(etag), "bindings": policy?["bindings"] ?? teams,
    ]
  }
}
