import TenonFoundation
import TenonJSON
import TenonTransport
import TenonValues

/// A change of a bucket's properties. Only properties that the backend acts upon, and those that describe a
/// bucket, are stored.
struct BucketChange: Sendable {
  /// The greatest size of a bucket's properties, in bytes.
  private static let largestProperties = 64 << 10
  /// The properties that clients can set.
  static let supported: Set<String> = [
    "labels", "location", "customPlacementConfig", "storageClass", "versioning", "retentionPolicy",
    "defaultEventBasedHold", "softDeletePolicy", "iamConfiguration", "acl", "defaultObjectAcl",
  ]
  /// The properties of Cloud Storage that aren't supported.
  private static let unsupported: Set<String> = [
    "autoclass", "billing", "cors", "encryption", "hierarchicalNamespace",
    "ipFilter",
    "lifecycle", "logging", "rpo", "website",
  ]

  /// The members of the request.
  let members: [String: JSON]
  /// Whether properties that aren't among the members are removed.
  var replaces = false
  /// The current time.
  let now: Timestamp

  /// Applies the change.
  ///
  /// - Parameter bucket: the bucket before the change.
  /// - Returns: the properties after it.
  /// - Throws: ``Refusal`` with status 400 for a value that isn't allowed or for properties that are too large,
  ///   with status 403 if a locked retention policy prevents it, with status 501 for a property that isn't
  ///   supported.
  func properties(of bucket: StoredBucket) throws -> [String: JSON] {
    for name in Self.unsupported.sorted() where members[name]?.asksForNothing == false {
      throw Refusal.unimplemented("\(name) of buckets")
    }
    var properties = bucket.properties.filter { name, _ in
      name == "objectRetention" || (!replaces && Self.supported.contains(name))
    }
    for (name, value) in members where Self.supported.contains(name) {
      properties[name] = value.merged(into: properties[name])
    }
    try check(&properties)
    properties["iamConfiguration"] = try iamConfiguration(properties, of: bucket)
    try checkLists(&properties)
    properties["retentionPolicy"] = try retentionPolicy(properties, of: bucket)
    properties["softDeletePolicy"] = try softDeletePolicy(properties, of: bucket)
    guard try JSON.object(properties).serialized.count <= Self.largestProperties else {
      throw Refusal.badObjectRequest(
        "The properties of a bucket must have at most \(Self.largestProperties) bytes.")
    }
    return properties
  }

  /// Checks the types of properties.
  private func check(_ properties: inout [String: JSON]) throws {
    if let labels = properties["labels"] {
      guard let members = labels.object, members.values.allSatisfy({ $0.string != nil }) else {
        throw Self.malformed("labels", "an object of strings")
      }
      if members.isEmpty { properties["labels"] = nil }
    }
    properties["storageClass"] = try ObjectAttributes.storageClass(properties).map(JSON.string)
    if let location = properties["location"] {
      guard let name = location.string, !name.isEmpty, !name.hasControlCharacters else {
        throw Self.malformed("location", "a name")
      }
      properties["location"] = .string(name.uppercased())
    }
    if let versioning = properties["versioning"] {
      guard versioning["enabled"]?.bool != nil else {
        throw Self.malformed("versioning", "{\"enabled\": true}")
      }
    }
    if let hold = properties["defaultEventBasedHold"] {
      guard hold.bool != nil else { throw Self.malformed("defaultEventBasedHold", "true or false") }
    }
    for name in ["iamConfiguration", "customPlacementConfig"] {
      guard properties[name]?.object != nil || properties[name] == nil else {
        throw Self.malformed(name, "an object")
      }
    }
  }

  /// Returns the configuration of access after the change. When uniform access is enabled, the time until which
  /// it can be disabled is 90 days later, as on Cloud Storage.
  private func iamConfiguration(_ properties: [String: JSON], of bucket: StoredBucket) throws -> JSON? {
    guard let new = properties["iamConfiguration"] else { return nil }
    let name = "uniformBucketLevelAccess"
    let enabled = new[name]?["enabled"] ?? false
    let prevention = new["publicAccessPrevention"] ?? "inherited"
    guard let isEnabled = enabled.bool, ["inherited", "enforced", "unspecified"].contains(prevention) else {
      throw Self.malformed(
        "iamConfiguration",
        "{\"uniformBucketLevelAccess\": {\"enabled\": true}, \"publicAccessPrevention\": \"inherited\" or \"enforced\"}"
      )
    }
    var uniform: [String: JSON] = ["enabled": enabled]
    if isEnabled {
      let end = Timestamp(millisecondsSince1970: now.millisecondsSince1970 + 90 * 86_400_000)
      let old = bucket.hasUniformAccess ? bucket.properties["iamConfiguration"]?[name]?["lockedTime"] : nil
      uniform["lockedTime"] = old ?? .string(end.iso8601)
    }
    return [name: .object(uniform), "publicAccessPrevention": prevention]
  }

  /// Checks the access control lists, and reduces their entries to what is stored.
  private func checkLists(_ properties: inout [String: JSON]) throws {
    for kind in [AccessEntry.Kind.bucket, .defaultObject] {
      guard let value = properties[kind.property] else { continue }
      let entries = try AccessEntry.list(value, kind)
      properties[kind.property] = .array(entries.map(\.json))
      guard members[kind.property] != nil else { continue }
      try StoredBucket(name: "the bucket", properties: properties).check(entries)
    }
  }

  /// Returns the retention policy after the change.
  private func retentionPolicy(_ properties: [String: JSON], of bucket: StoredBucket) throws -> JSON? {
    let old = bucket.properties["retentionPolicy"]
    guard let new = properties["retentionPolicy"], !new.asksForNothing else {
      guard !bucket.isRetentionLocked else {
        throw Refusal(
          403, "The retention policy of the bucket \(bucket.name) is locked, so that it can't be removed.",
          reason: "forbidden")
      }
      return nil
    }
    guard let period = StoredBucket.period(new["retentionPeriod"], in: StoredBucket.retentionPeriods) else {
      throw Self.malformed(
        "retentionPolicy.retentionPeriod",
        "a whole number of seconds from 1 to \(StoredBucket.retentionPeriods.upperBound)")
    }
    if bucket.retentionPeriod == period { return old }
    guard !bucket.isRetentionLocked || period > bucket.retentionPeriod ?? 0 else {
      throw Refusal(
        403, "The retention policy of the bucket \(bucket.name) is locked, so that it can't be reduced.",
        reason: "forbidden")
    }
    return .members([
      "retentionPeriod": .string(String(period)), "effectiveTime": .string(now.iso8601),
      "isLocked": bucket.isRetentionLocked ? true : nil,
    ])
  }

  /// Returns the soft delete policy after the change.
  private func softDeletePolicy(_ properties: [String: JSON], of bucket: StoredBucket) throws -> JSON? {
    let name = "retentionDurationSeconds"
    guard let new = properties["softDeletePolicy"], !new.asksForNothing else { return nil }
    guard new[name]?.text != "0" else { return [name: "0"] }
    guard let period = StoredBucket.period(new[name], in: StoredBucket.softDeletePeriods) else {
      throw Self.malformed(
        "softDeletePolicy.retentionDurationSeconds",
        "0, or a whole number of seconds from \(StoredBucket.softDeletePeriods.lowerBound) to \(StoredBucket.softDeletePeriods.upperBound)"
      )
    }
    if bucket.softDeletePeriod == period { return bucket.properties["softDeletePolicy"] }
    return [name: .string(String(period)), "effectiveTime": .string(now.iso8601)]
  }

  private static func malformed(_ name: String, _ form: String) -> Refusal {
    Refusal.badObjectRequest("\(name) of a bucket must be \(form).")
  }
}

extension JSON {
  /// Returns the value after a merge patch (RFC 7396): members of objects are changed one by one, and those that
  /// are null are removed.
  ///
  /// - Parameter old: the value before; `nil` if there is none.
  /// - Returns: `nil` if the value is removed.
  func merged(into old: JSON?) -> JSON? {
    switch self {
    case .null: return nil
    case .object(let changes):
      var members = old?.object ?? [:]
      for (name, value) in changes { members[name] = value.merged(into: members[name]) }
      return .object(members)
    default: return self
    }
  }
}
