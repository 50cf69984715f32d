import TenonFoundation
import TenonTransport
import Testing

/// A request for an object under Security Rules, with the part of Firebase's documentation from which its
/// verdict follows. Google's Firestore emulator doesn't judge rules of Storage.
struct ObjectCase: Sendable, CustomTestStringConvertible {
  /// A section of the documentation: a page below https://firebase.google.com/docs, and its heading.
  let section: String
  /// What is requested.
  let request: Request
  /// Statements within `match /b/{bucket}/o`.
  let rules: String
  /// Who asks; `nil` for nobody.
  let user: String?
  /// Whether it is allowed.
  let isAllowed: Bool

  /// Requests. The objects `images/ann.png` and `images/deep/er/x.png` exist.
  enum Request: Sendable {
    case get(String)
    case list(String)
    case upload(String, String, type: String)
    case patch(String, JSON)
    case delete(String)
  }

  var testDescription: String { "\(section): \(request), \(rules)" }

  init(
    _ section: String, _ request: Request, _ rules: String, as user: String? = "ann", _ isAllowed: Bool
  ) {
    (self.section, self.request, self.rules, self.user) = (section, request, rules, user)
    self.isAllowed = isAllowed
  }

  /// A condition for the objects in `images`.
  static func when(
    _ section: String, _ request: Request, _ condition: String, as user: String? = "ann", _ isAllowed: Bool
  ) -> ObjectCase {
    ObjectCase(
      section, request, "match /images/{name} { allow read, write: if \(condition); }", as: user, isAllowed)
  }

  static let all = operations + paths + requests + resources + uploads + documents + data
}

private let ann = ObjectCase.Request.get("images/ann.png")
private let deep = ObjectCase.Request.get("images/deep/er/x.png")
private let created = ObjectCase.Request.upload("images/new.png", "small", type: "image/png")
private let replaced = ObjectCase.Request.upload("images/ann.png", "larger", type: "image/jpeg")
private let patched = ObjectCase.Request.patch("images/ann.png", ["metadata": ["owner": "bob"]])
private let deleted = ObjectCase.Request.delete("images/ann.png")
private let listed = ObjectCase.Request.list("images/")

extension ObjectCase {
  private static let granular = "storage/security/core-syntax, Granular operations"

  /// `read` is `get` and `list`; `write` is `create`, `update` and `delete`.
  private static let operations = [
    ObjectCase(granular, ann, "match /images/{n} { allow get; }", true),
    ObjectCase(granular, ann, "match /images/{n} { allow list; }", false),
    ObjectCase(granular, ann, "match /images/{n} { allow read; }", true),
    ObjectCase(granular, ann, "match /images/{n} { allow write; }", false),
    ObjectCase(granular, listed, "match /images { allow list; }", true),
    ObjectCase(granular, listed, "match /images { allow get; }", false),
    ObjectCase(granular, listed, "match /images { allow read; }", true),
    ObjectCase(granular, created, "match /images/{n} { allow create; }", true),
    ObjectCase(granular, created, "match /images/{n} { allow update, delete, read; }", false),
    ObjectCase(granular, replaced, "match /images/{n} { allow update; }", true),
    ObjectCase(granular, replaced, "match /images/{n} { allow create, delete, read; }", false),
    ObjectCase(granular, patched, "match /images/{n} { allow update; }", true),
    ObjectCase(granular, patched, "match /images/{n} { allow create, delete, read; }", false),
    ObjectCase(granular, deleted, "match /images/{n} { allow delete; }", true),
    ObjectCase(granular, deleted, "match /images/{n} { allow create, update, read; }", false),
    ObjectCase(granular, deleted, "match /images/{n} { allow write; }", true),
  ]

  private static let matching = "storage/security/core-syntax, Matching wildcard paths"
  private static let overlapping = "storage/security/core-syntax, Overlapping match statements"
  private static let segments = "reference/security/storage, Path segments"

  private static let paths = [
    ObjectCase(segments, ann, "match /images/ann.png { allow read; }", true),
    ObjectCase(segments, ann, "match /images { match /ann.png { allow read; } }", true),
    ObjectCase(segments, ann, "match /images { allow read; }", false),
    ObjectCase(segments, ann, "match /{folder}/{name} { allow read: if folder == 'images'; }", true),
    ObjectCase(segments, ann, "match /{name} { allow read; }", false),
    ObjectCase(matching, deep, "match /images/{name} { allow read; }", false),
    ObjectCase(matching, deep, "match /images/{rest=**} { allow read; }", true),
    ObjectCase(matching, deep, "match /{all=**} { allow read; }", true),
    ObjectCase(matching, deep, "match /images/{rest=**}/x.png { allow read; }", true),
    ObjectCase(matching, deep, "match /images/{p=**} { allow read: if p[0] == 'deep'; }", true),
    ObjectCase(matching, .list(""), "match /{all=**} { allow list; }", true),
    ObjectCase(matching, .list(""), "match /{name} { allow list; }", false),
    ObjectCase(matching, listed, "match /images/{n} { allow list; }", false),
    ObjectCase(matching, .list("images/deep/"), "match /images/{n} { allow list; }", true),
    ObjectCase(
      overlapping, ann, "match /images/{n} { allow read: if false; } match /{all=**} { allow read; }", true),
    ObjectCase(
      overlapping, ann, "match /{all=**} { allow write; } match /images/{n} { allow read: if false; }", false),
  ]

  private static let authentication = "storage/security/rules-conditions, Authentication"
  private static let request = "reference/security/storage, request"

  private static let requests: [ObjectCase] = [
    .when(authentication, ann, "request.auth == null", as: nil, true),
    .when(authentication, ann, "request.auth != null", as: nil, false),
    .when(authentication, ann, "request.auth.uid == 'ann'", true),
    .when(authentication, ann, "request.auth.uid == 'ann'", as: "bob", false),
    .when(authentication, ann, "request.auth.token.role == 'editor'", true),
    .when(authentication, ann, "request.auth.token.role == 'editor'", as: nil, false),
    .when(authentication, ann, "name == request.auth.uid + '.png'", true),
    .when(request, ann, "request.time > timestamp.date(2020, 1, 1)", true),
    .when(request, ann, "request.path == /b/$('demo.appspot.com')/o/images/$('ann.png')", true),
    .when(request, ann, "bucket == 'demo.appspot.com'", true),
    .when(request, ann, "request.resource == null", true),
    .when(request, deleted, "request.resource == null", true),
    .when(request, patched, "request.resource == null", false),
  ]

  private static let resource = "reference/security/storage, resource"

  private static let resources: [ObjectCase] = [
    .when(resource, ann, "resource.name == 'images/ann.png' && resource.bucket == bucket", true),
    .when(resource, ann, "resource.size == 5 && resource.size is int", true),
    .when(resource, ann, "resource.generation is int && resource.generation > 0", true),
    .when(resource, ann, "resource.metageneration == 1", true),
    .when(
      resource, ann, "resource.timeCreated is timestamp && resource.updated == resource.timeCreated", true),
    .when(resource, ann, "resource.timeCreated + duration.value(1, 'h') > request.time", true),
    .when(resource, ann, "resource.md5Hash == 'p0NEOO1bPQXJi3P5XcuZNQ=='", false),
    .when(resource, ann, "resource.md5Hash is string && resource.crc32c is string", true),
    .when(resource, ann, "resource.etag is string", true),
    .when(resource, ann, "resource.contentType == 'image/png'", true),
    .when(resource, ann, "resource.contentType.matches('image/.*')", true),
    .when(resource, ann, "resource.metadata.owner == request.auth.uid", true),
    .when(resource, ann, "resource.metadata.owner == request.auth.uid", as: "bob", false),
    .when(resource, ann, "resource.metadata.none == null", false),
    .when(resource, ann, "'owner' in resource.metadata && !('none' in resource.metadata)", true),
    .when(resource, ann, "resource.cacheControl == 'no-cache' && resource.contentLanguage == 'de'", true),
    .when(resource, created, "resource == null", true),
    .when(resource, .get("images/none.png"), "resource == null && false", false),
    .when(resource, listed, "resource.size > 0", false),
  ]

  private static let validation = "storage/security/rules-conditions, Validate data"

  private static let uploads: [ObjectCase] = [
    .when(validation, created, "request.resource.size == 5", true),
    .when(validation, created, "request.resource.size < 5", false),
    .when(validation, created, "request.resource.contentType == 'image/png'", true),
    .when(validation, created, "request.resource.name == 'images/new.png'", true),
    .when(validation, created, "request.resource.md5Hash.size() == 24", true),
    .when(validation, replaced, "request.resource.size == 6 && resource.size == 5", true),
    .when(validation, replaced, "request.resource.contentType == resource.contentType", false),
    .when(validation, replaced, "request.resource.generation > resource.generation", true),
    .when(validation, replaced, "request.resource.md5Hash == resource.md5Hash", false),
    .when(validation, patched, "request.resource.metadata.owner == 'bob'", true),
    .when(validation, patched, "request.resource.metadata.owner == resource.metadata.owner", false),
    .when(validation, patched, "request.resource.md5Hash == resource.md5Hash", true),
    .when(validation, patched, "request.resource.metageneration == resource.metageneration + 1", true),
    .when(validation, deleted, "resource.metadata.owner == request.auth.uid", true),
  ]

  private static let firestore = "storage/security/rules-conditions, Enhance with Cloud Firestore"
  private static let root = "/databases/(default)/documents"

  /// What a rule reads of the documents `roles/ann`, `teams/t1` and `images/ann`.
  private static let documents: [ObjectCase] = [
    .when(firestore, ann, "firestore.get(\(root)/roles/$(request.auth.uid)).data.role == 'editor'", true),
    .when(
      firestore, ann, "firestore.get(\(root)/roles/$(request.auth.uid)).data.role == 'editor'", as: "bob",
      false
    ),
    .when(firestore, ann, "firestore.get(\(root)/roles/ann).data.role == 'viewer'", false),
    .when(firestore, ann, "firestore.exists(\(root)/roles/$(request.auth.uid))", true),
    .when(firestore, ann, "firestore.exists(\(root)/roles/$(request.auth.uid))", as: "bob", false),
    .when(firestore, ann, "!firestore.exists(\(root)/roles/$(request.auth.uid))", as: "bob", true),
    .when(
      firestore, ann,
      "request.auth.uid in firestore.get(\(root)/teams/$(firestore.get(\(root)/roles/ann).data.team)).data.members",
      true),
    .when(firestore, ann, "firestore.exists(\(root)/roles/ann) && firestore.exists(\(root)/teams/t1)", true),
    // Two documents at most.
    .when(
      firestore, ann,
      "firestore.exists(\(root)/roles/ann) && firestore.exists(\(root)/teams/t1) && firestore.exists(\(root)/images/ann)",
      false),
    // A document that is read again counts once.
    .when(
      firestore, ann,
      "firestore.exists(\(root)/roles/ann) && firestore.get(\(root)/roles/ann).data.team == 't1' && firestore.exists(\(root)/teams/t1)",
      true),
    .when(firestore, ann, "firestore.get(\(root)/roles/none).data.role == 'editor' || true", true),
    .when(firestore, listed, "true", false),
    ObjectCase(
      firestore, listed, "match /images { allow list: if firestore.exists(\(root)/roles/ann); }", true),
    .when(firestore, created, "firestore.get(\(root)/roles/$(request.auth.uid)).data.role == 'editor'", true),
    .when(
      firestore, created, "firestore.get(\(root)/roles/$(request.auth.uid)).data.role == 'editor'", as: "bob",
      false),
    .when(
      firestore, created,
      "request.resource.size < firestore.get(\(root)/roles/ann).data.quota && request.resource.md5Hash is string",
      true),
    .when(
      firestore, replaced, "request.resource.size < firestore.get(\(root)/roles/ann).data.quota - 5", false),
    .when(firestore, patched, "firestore.exists(\(root)/roles/$(request.resource.metadata.owner))", false),
    .when(firestore, patched, "firestore.exists(\(root)/roles/$(resource.metadata.owner))", true),
    .when(firestore, deleted, "firestore.get(\(root)/roles/$(request.auth.uid)).data.role == 'editor'", true),
    .when(
      firestore, deleted, "firestore.get(\(root)/roles/$(request.auth.uid)).data.role == 'editor'", as: nil,
      false),
    // Only documents, and only those of the default database.
    .when(firestore, ann, "firestore.exists(\(root)/roles)", false),
    .when(firestore, ann, "firestore.exists(/databases/other/documents/roles/ann)", false),
    .when(firestore, ann, "exists(\(root)/roles/ann)", false),
  ]

  private static let functions = "storage/security/rules-conditions, Custom functions"
  private static let errors = "reference/security/storage, Errors"

  private static let data: [ObjectCase] = [
    ObjectCase(
      functions, ann,
      "function owns(o) { return o.metadata.owner == request.auth.uid; } match /images/{n} { allow read: if owns(resource); }",
      true),
    .when(errors, ann, "resource.none == 1 || true", true),
    .when(errors, ann, "true || resource.none == 1", true),
    .when(errors, ann, "resource.none == 1 && true", false),
    .when(errors, ann, "!(resource.none == 1 && false)", true),
    .when(errors, ann, "request.auth.uid > 5", false),
  ]
}
