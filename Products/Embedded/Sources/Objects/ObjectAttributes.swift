import TenonDocuments
import TenonFoundation
import TenonTransport
import TenonValues

/// What only clients of the JSON API set about an object: its storage class, its custom time, and what
/// protects it (https://cloud.google.com/storage/docs/json_api/v1/objects#resource).
struct ObjectAttributes: Sendable, Hashable, Codable {
  /// The storage class of objects and buckets that have none.
  static let defaultStorageClass = "STANDARD"
  /// The names of the storage classes.
  private static let storageClasses: Set<String> = [
    defaultStorageClass, "NEARLINE", "COLDLINE", "ARCHIVE", "MULTI_REGIONAL", "REGIONAL",
    "DURABLE_REDUCED_AVAILABILITY",
  ]
  /// The members that aren't supported.
  private static let unsupported = ["kmsKeyName", "customerEncryption"]

  /// The names in JSON of the members that clients can set.
  static let names = ["storageClass", "customTime", "temporaryHold", "eventBasedHold", "retention"]

  /// The storage class; `nil` for the default one. It has no effect.
  var storageClass: String?
  /// The time that a client has given the object, in microseconds since 1970.
  var customTime: Int64?
  /// Whether the object can be neither deleted nor replaced until a client ends this hold.
  var temporaryHold: Bool?
  /// As ``temporaryHold``; the retention period of the bucket begins when this hold ends.
  var eventBasedHold: Bool?
  /// The retention of this object; `nil` for that of the bucket only.
  var retention: ObjectRetention?
  /// The custom contexts by their keys; `nil` for none.
  var contexts: [String: ObjectContext]?
  /// The access control list; `nil` for that of the project's teams.
  var acl: [AccessEntry]?

  /// Creates attributes without values.
  init() {}

  /// Reads the attributes of an upload.
  ///
  /// - Throws: ``Refusal`` with status 400 for a value that isn't allowed, with status 501 for one that isn't
  ///   supported.
  init(uploaded members: [String: JSON]) throws {
    try Self.checkSupport(members)
    storageClass = try Self.storageClass(members)
    customTime = try Self.time(members["customTime"], "customTime")?.microsecondsSince1970
    temporaryHold = try Self.hold(members["temporaryHold"], "temporaryHold")
    eventBasedHold = try Self.hold(members["eventBasedHold"], "eventBasedHold")
    retention = try ObjectRetention(members["retention"])
    contexts = try members["contexts"].flatMap { try ObjectContext.changed(nil, by: $0, now: nil) }
    acl = try Self.entries(members)
  }

  /// Returns the access control list of a request; `nil` if it has none.
  private static func entries(_ members: [String: JSON]) throws -> [AccessEntry]? {
    guard let value = members["acl"], value != .null else { return nil }
    return try AccessEntry.list(value, .object)
  }

  /// Checks that no member asks for what isn't supported.
  ///
  /// - Throws: ``Refusal`` with status 501.
  private static func checkSupport(_ members: [String: JSON]) throws {
    for name in unsupported where members[name]?.asksForNothing == false {
      throw Refusal.unimplemented("\(name) of objects")
    }
  }

  /// Applies a `PATCH` or `PUT`.
  ///
  /// - Parameters:
  ///   - members: the members of the request.
  ///   - change: the kind and the circumstances of the request.
  /// - Throws: ``Refusal`` with status 400 for a value that isn't allowed, with status 403 if a retention
  ///   can't be changed like this, with status 501 for what isn't supported.
  mutating func change(_ members: [String: JSON], _ change: ObjectChange) throws {
    try Self.checkSupport(members)
    if let new = try Self.storageClass(members), new != storageClass ?? Self.defaultStorageClass {
      throw Refusal.badObjectRequest(
        "The storage class of an object can't be changed in place. Rewrite the object onto itself (rewriteTo) with \(new)."
      )
    }
    try changeCustomTime(members["customTime"])
    for (name, hold) in [("temporaryHold", \Self.temporaryHold), ("eventBasedHold", \Self.eventBasedHold)] {
      guard let value = members[name] else {
        if change.replaces { self[keyPath: hold] = nil }
        continue
      }
      self[keyPath: hold] = try Self.hold(value, name)
    }
    if let value = members["retention"] {
      let new = try ObjectRetention(value)
      try ObjectRetention.check(from: retention, to: new, change)
      retention = new
    }
    if members["contexts"] != nil || change.replaces {
      contexts = try ObjectContext.changed(contexts, by: members["contexts"] ?? .null, now: change.now)
    }
    if let entries = try Self.entries(members) {
      try change.bucket?.check(entries)
      acl = entries
    }
    try checkProtection()
  }

  /// Checks that an object has an event-based hold or its own retention, but not both, as on Cloud Storage.
  private func checkProtection() throws {
    guard eventBasedHold != true || retention == nil else {
      throw Refusal.badObjectRequest("An object can't have both an event-based hold and a retention.")
    }
  }

  /// Checks what an upload asks for against its bucket, and adds what the bucket has for new objects.
  ///
  /// - Throws: ``Refusal`` with status 400.
  func completed(by bucket: StoredBucket?, now: Timestamp) throws -> ObjectAttributes {
    var completed = self
    try ObjectRetention.check(from: nil, to: retention, ObjectChange(bucket: bucket, now: now))
    completed.storageClass = storageClass ?? bucket?.storageClass
    for key in (contexts ?? [:]).keys where completed.contexts?[key]?.created == nil {
      completed.contexts?[key]?.created = now.microsecondsSince1970
      completed.contexts?[key]?.updated = now.microsecondsSince1970
    }
    if eventBasedHold == nil, bucket?.holdsNewObjects == true { completed.eventBasedHold = true }
    if let acl { try bucket?.check(acl) }
    if acl == nil, bucket?.properties[AccessEntry.Kind.defaultObject.property] != nil {
      completed.acl = bucket?.entries(.defaultObject)
    }
    try completed.checkProtection()
    return completed
  }

  private mutating func changeCustomTime(_ value: JSON?) throws {
    guard let value else { return }
    let new = try Self.time(value, "customTime")?.microsecondsSince1970
    if let customTime, new ?? .min < customTime {
      throw Refusal.badObjectRequest("customTime can't be removed, or become earlier than it is.")
    }
    customTime = new
  }

  /// Returns the storage class of an object or a bucket; `nil` if the members have none.
  static func storageClass(_ members: [String: JSON]) throws -> String? {
    guard let value = members["storageClass"], value != .null else { return nil }
    guard let name = value.string?.uppercased(), storageClasses.contains(name) else {
      throw Refusal.badObjectRequest(
        "The storage class \"\((value.text ?? "").prefix(100))\" is unknown. It must be one of \(storageClasses.sorted().joined(separator: ", "))."
      )
    }
    return name
  }

  /// Returns a time; `nil` for null and an absent member.
  static func time(_ value: JSON?, _ name: String) throws -> Timestamp? {
    guard let value, value != .null else { return nil }
    guard let text = value.string, let time = Timestamp(rfc3339: text),
      (0...253_402_300_799).contains(time.seconds)
    else {
      throw Refusal.badObjectRequest(
        "\(name) must be a time from 1970 to 9999, such as 2026-01-31T12:00:00Z.")
    }
    return time
  }

  /// Returns a hold; `nil` for false, null and an absent member.
  private static func hold(_ value: JSON?, _ name: String) throws -> Bool? {
    guard let value, value != .null else { return nil }
    guard let isHeld = value.bool else { throw Refusal.badObjectRequest("\(name) must be true or false.") }
    return isHeld ? true : nil
  }
}

/// The kind and the circumstances of a change of an object.
struct ObjectChange: Sendable {
  /// Whether members that are absent lose their value.
  var replaces = false
  /// The bucket, if it was created.
  let bucket: StoredBucket?
  /// Whether the request has `overrideUnlockedRetention=true`.
  var overridesRetention = false
  /// The current time.
  let now: Timestamp
}

/// The retention of a single object (https://cloud.google.com/storage/docs/object-lock).
struct ObjectRetention: Sendable, Hashable, Codable {
  /// Whether the retention can only be extended.
  let isLocked: Bool
  /// The end in milliseconds since 1970, before which the object can be neither deleted nor replaced.
  let end: Int64

  /// Reads the member `retention`.
  ///
  /// - Returns: `nil` for null, an empty object and an absent member.
  /// - Throws: ``Refusal`` with status 400.
  init?(_ value: JSON?) throws {
    guard let value, !value.asksForNothing else { return nil }
    guard let mode = value["mode"]?.string, ["Locked", "Unlocked"].contains(mode),
      let end = try ObjectAttributes.time(value["retainUntilTime"], "retainUntilTime")
    else {
      throw Refusal.badObjectRequest("retention must have a mode, Locked or Unlocked, and a retainUntilTime.")
    }
    isLocked = mode == "Locked"
    self.end = end.millisecondsSince1970
  }

  /// The member `retention`.
  var json: JSON {
    [
      "mode": isLocked ? "Locked" : "Unlocked",
      "retainUntilTime": .string(Timestamp(millisecondsSince1970: end).iso8601),
    ]
  }

  /// Checks a change of the retention.
  ///
  /// - Throws: ``Refusal`` with status 400 if the bucket doesn't allow retentions or the new one has ended, with
  ///   status 403 if the old one doesn't allow the change.
  static func check(from old: ObjectRetention?, to new: ObjectRetention?, _ change: ObjectChange) throws {
    guard old != new else { return }
    if let new {
      guard change.bucket?.allowsObjectRetention == true else {
        throw Refusal.badObjectRequest(
          "Object retention isn't enabled for the bucket. Create the bucket with enableObjectRetention=true.")
      }
      guard new.end > change.now.millisecondsSince1970 else {
        throw Refusal.badObjectRequest("retainUntilTime must be in the future.")
      }
    }
    guard let old, old.end > change.now.millisecondsSince1970 else { return }
    let isExtended = (new?.end ?? .min) >= old.end && new?.isLocked == old.isLocked
    guard isExtended || (!old.isLocked && change.overridesRetention) else {
      throw Refusal(
        403,
        old.isLocked
          ? "The object's retention is locked, so that it can only be extended."
          : "Removing, reducing or locking an unlocked retention needs overrideUnlockedRetention=true.",
        reason: "forbidden")
    }
  }
}

extension JSON {
  /// Whether the value asks for nothing that isn't the default: null, false, an empty text or array,
  /// `DEFAULT`, `Disabled`, or an object of such members.
  var asksForNothing: Bool {
    switch self {
    case .null, .bool(false), .string(""), .string("DEFAULT"), .string("Disabled"): true
    case .array(let elements): elements.isEmpty
    case .object(let members): members.values.allSatisfy(\.asksForNothing)
    default: false
    }
  }
}
