import TenonFoundation
import TenonJSON
import TenonTransport

/// An entry of an access control list (https://cloud.google.com/storage/docs/access-control/lists).
///
/// The lists of the backend are stored and returned. They open and close nothing: rules, closures and settings
/// decide, and the JSON API is the administrators'.
struct AccessEntry: Sendable, Hashable, Codable {
  /// Who, for example `allUsers`, `user-ada@example.com` or `project-owners-1`.
  let entity: String
  /// `READER`, `WRITER` (of buckets) or `OWNER`.
  let role: String

  /// The greatest number of entries of a list, as on Cloud Storage.
  static let limit = 100
  /// The greatest length of an entity, in bytes.
  private static let longestEntity = 1_024
  /// The entities that are groups of everybody.
  private static let publicEntities: Set<String> = ["allUsers", "allAuthenticatedUsers"]

  /// What a list belongs to.
  enum Kind: Sendable, Hashable {
    case bucket, defaultObject, object

    /// The roles of its entries.
    var roles: Set<String> { self == .bucket ? ["READER", "WRITER", "OWNER"] : ["READER", "OWNER"] }
    /// The kind of the resource of an entry.
    var name: String { self == .bucket ? "storage#bucketAccessControl" : "storage#objectAccessControl" }
    /// The property of a bucket; the member of an object's resource.
    var property: String { self == .defaultObject ? "defaultObjectAcl" : "acl" }
  }

  /// The list of a bucket, and of new objects, for which a client has set none: that of the project's teams.
  static let projectPrivate = [
    AccessEntry(entity: "project-owners-1", role: "OWNER"),
    AccessEntry(entity: "project-editors-1", role: "OWNER"),
    AccessEntry(entity: "project-viewers-1", role: "READER"),
  ]

  /// Whether the entry is about everybody.
  var isPublic: Bool { Self.publicEntities.contains(entity) }

  private init(entity: String, role: String) {
    self.entity = entity
    self.role = role
  }

  /// Reads an entry.
  ///
  /// - Parameters:
  ///   - json: an object with `entity` and `role`.
  ///   - kind: what the list belongs to.
  ///   - entity: the entity in the path of the request, which may be absent in the object.
  /// - Throws: ``Refusal`` with status 400.
  init(_ json: JSON, _ kind: Kind, entity path: String? = nil) throws {
    let prefixes = ["user-", "group-", "domain-", "project-owners-", "project-editors-", "project-viewers-"]
    guard let entity = path ?? json["entity"]?.string, entity.utf8.count <= Self.longestEntity,
      !entity.hasControlCharacters,
      Self.publicEntities.contains(entity)
        || prefixes.contains(where: { entity.hasPrefix($0) && entity.utf8.count > $0.utf8.count })
    else {
      throw Refusal.badObjectRequest(
        "The entity of an access control must be allUsers, allAuthenticatedUsers, user-EMAIL, group-EMAIL, domain-NAME or a team of the project."
      )
    }
    guard let role = json["role"]?.string, kind.roles.contains(role) else {
      throw Refusal.badObjectRequest(
        "The role of an access control must be \(kind.roles.sorted().joined(separator: " or ")).")
    }
    self.init(entity: entity, role: role)
  }

  /// Reads a list.
  ///
  /// - Throws: ``Refusal`` with status 400.
  static func list(_ json: JSON, _ kind: Kind) throws -> [AccessEntry] {
    guard let entries = json.array, entries.count <= limit else {
      throw Refusal.badObjectRequest("An access control list must be an array of at most \(limit) entries.")
    }
    return try entries.reduce(into: []) { list, json in
      let entry = try AccessEntry(json, kind)
      list.removeAll { $0.entity == entry.entity }
      list.append(entry)
    }
  }

  /// Returns the list with a name of `predefinedAcl`; `nil` without a name.
  ///
  /// - Throws: ``Refusal`` with status 400 if the name is unknown.
  static func predefined(_ name: String?, _ kind: Kind) throws -> [AccessEntry]? {
    guard let name, !name.isEmpty else { return nil }
    let owners = AccessEntry(entity: "project-owners-1", role: "OWNER")
    switch name {
    case "private", "bucketOwnerFullControl": return [owners]
    case "projectPrivate": return projectPrivate
    case "bucketOwnerRead" where kind != .bucket:
      return [AccessEntry(entity: "project-owners-1", role: "READER")]
    case "publicRead": return [owners, AccessEntry(entity: "allUsers", role: "READER")]
    case "publicReadWrite" where kind == .bucket:
      return [owners, AccessEntry(entity: "allUsers", role: "WRITER")]
    case "authenticatedRead": return [owners, AccessEntry(entity: "allAuthenticatedUsers", role: "READER")]
    default:
      throw Refusal.badObjectRequest("The predefined access control list \"\(name.prefix(100))\" is unknown.")
    }
  }

  /// The entry as a member of a bucket's properties.
  var json: JSON { ["entity": .string(entity), "role": .string(role)] }

  /// The entry as a resource.
  ///
  /// - Parameters:
  ///   - kind: what the list belongs to.
  ///   - bucket: the bucket.
  ///   - object: the object; `nil` for lists of buckets.
  ///   - origin: the origin at which the backend is reached.
  func resource(_ kind: Kind, of bucket: String, _ object: ObjectRecord? = nil, origin: String) -> JSON {
    let dash = entity.firstIndex(of: "-")
    let (prefix, rest) = (dash.map { entity[..<$0] }, dash.map { entity[entity.index(after: $0)...] })
    let place = object.map { "\(bucket)/\($0.name)/\($0.generation)" } ?? bucket
    let team = rest?.split(separator: "-", maxSplits: 1)
    let path =
      "\(PercentEncoding.queryValue(bucket))/\(object.map { "o/\(PercentEncoding.queryValue($0.name))/" } ?? "")\(kind.property)/\(PercentEncoding.queryValue(entity))"
    return .members([
      "kind": .string(kind.name),
      "id": kind == .defaultObject ? nil : .string("\(place)/\(entity)"),
      "selfLink": kind == .defaultObject ? nil : .string("\(origin)/storage/v1/b/\(path)"),
      "bucket": kind == .defaultObject ? nil : .string(bucket),
      "object": object.map { .string($0.name) },
      "generation": object.map { .string(String($0.generation)) },
      "entity": .string(entity),
      "role": .string(role),
      "email": ["user", "group"].contains(prefix) ? rest.map { .string(String($0)) } : nil,
      "domain": prefix == "domain" ? rest.map { .string(String($0)) } : nil,
      "projectTeam": prefix != "project"
        ? nil
        : team.flatMap { team in
          team.count == 2
            ? ["team": .string(String(team[0])), "projectNumber": .string(String(team[1]))] : nil
        },
      "etag": .string(Data("\(place)/\(entity)/\(role)".utf8).base64EncodedString()),
    ])
  }
}

extension StoredBucket {
  /// Whether access control lists are disabled for the bucket and its objects.
  var hasUniformAccess: Bool {
    properties["iamConfiguration"]?["uniformBucketLevelAccess"]?["enabled"] == true
  }

  /// Whether entries about everybody are refused.
  var preventsPublicAccess: Bool {
    properties["iamConfiguration"]?["publicAccessPrevention"] == "enforced"
  }

  /// Returns a list of the bucket: the one that a client has set, or that of the project's teams.
  func entries(_ kind: AccessEntry.Kind) -> [AccessEntry] {
    (try? properties[kind.property].map { try AccessEntry.list($0, kind) }) ?? AccessEntry.projectPrivate
  }

  /// Checks a list against the bucket's configuration.
  ///
  /// - Throws: ``Refusal`` with status 400 if lists are disabled, with status 412 if the list is about everybody
  ///   and the bucket prevents this.
  func check(_ entries: [AccessEntry]) throws {
    guard !hasUniformAccess else {
      throw Refusal.badObjectRequest(
        "Access control lists can't be used while uniform bucket-level access is enabled for \(name).")
    }
    guard !preventsPublicAccess || !entries.contains(where: \.isPublic) else {
      throw Self.publicAccessPrevented
    }
  }

  /// The error for access of everybody to a bucket that prevents it.
  static let publicAccessPrevented = Refusal(
    412, "allUsers and allAuthenticatedUsers aren't allowed, since public access prevention is enforced.",
    reason: "conditionNotMet")
}
