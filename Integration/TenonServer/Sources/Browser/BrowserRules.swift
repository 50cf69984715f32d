import TenonDocuments
import TenonEmbedded
import TenonFoundation
import TenonJSON
import TenonRules
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop
import TenonValues

/// What the data browser shows of Security Rules, and their verdict for a request.
struct BrowserRules: Sendable {
  private let embedded: Embedded
  private let protectsDocuments: Bool

  init(_ embedded: Embedded, protectsDocuments: Bool) {
    self.embedded = embedded
    self.protectsDocuments = protectsDocuments
  }

  /// Returns the present rules of documents and of objects.
  func list() -> JSON {
    let protection: JSON? =
      protectsDocuments ? "--protect-documents: users have access to documents below users/UID only." : nil
    return JSON.members([
      "documents": Self.description(of: embedded.documentSecurityRules), "protection": protection,
      "objects": Self.description(of: embedded.objectSecurityRules),
    ])
  }

  private static func description(of rules: SecurityRules?) -> JSON? {
    rules.map { rules in
      let warnings = rules.warnings.map { JSON.string("\($0.line):\($0.column): \($0.message)") }
      return ["source": .string(rules.source), "warnings": .array(warnings)]
    }
  }

  /// Returns what the present rules say of a request, and why. Nothing is changed.
  ///
  /// - Parameter request: the content of a request of the page: `service` (`documents` or `objects`), `method`,
  ///   `path`, `database`, `bucket`, `uid`, `claims`, and `fields` in the form of Firestore's REST API.
  /// - Throws: ``BrowserProblem``.
  func verdict(_ request: Data) async throws -> JSON {
    let json: FirestoreJSON
    do { json = try FirestoreJSON(request) } catch { throw BrowserProblem(error.message) }
    let isOfObjects = json["service"]?.string == "objects"
    let rules = isOfObjects ? embedded.objectSecurityRules : embedded.documentSecurityRules
    guard let rules else { throw BrowserProblem("There are no Security Rules to ask.") }
    do {
      let question = try await Question(json, isOfObjects: isOfObjects, embedded)
      let (decision, documents) = try await question.decide(by: rules)
      let trial = RulesTrial(
        rules, documents: documents, objects: question.objects, time: question.time)
      let explanation = try trial.explanation(of: question.operation, as: question.user)
      let reasons = decision.reasons.map { reason -> JSON in
        ["line": .int(Int64(reason.line)), "message": .string(reason.message)]
      }
      return [
        "allowed": .bool(decision.isAllowed), "reasons": .array(reasons), "explanation": .string(explanation),
      ]
    } catch let error as DocumentError {
      throw BrowserProblem(error.message)
    } catch let error as StoreRemoteError {
      throw BrowserProblem(error.message)
    } catch let error as RulesTrialError {
      throw BrowserProblem(error.description)
    }
  }
}

/// A request about which the page asks.
private struct Question {
  let operation: RulesOperation
  let user: RulesUser?
  let time = TimeSource.system.timestamp()
  /// The object of the request, if it exists.
  private(set) var objects: [String: Fields] = [:]

  private let target: RulesRequest.Target
  /// The document of the request, if it exists.
  private var own: (path: String, fields: Fields)?
  private let documents: EmbeddedDocuments

  init(_ json: FirestoreJSON, isOfObjects: Bool, _ embedded: Embedded) async throws {
    let database = json["database"]?.string ?? "(default)"
    documents = embedded.documents(database: database)
    let claims = try json["claims"]?.fields() ?? [:]
    user = json["uid"]?.string.flatMap { $0.isEmpty ? nil : RulesUser(uid: $0, claims: claims) }
    let (method, path) = (json["method"]?.string ?? "", json["path"]?.string ?? "")
    let fields = try json["fields"]?.fields() ?? [:]
    guard !isOfObjects else {
      let bucket = json["bucket"]?.string ?? ""
      let stored = try await Self.object(path, in: bucket, embedded)
      if let stored { objects[path] = stored }
      (operation, target) = try Self.object(method, path, bucket, stored, fields)
      return
    }
    guard method != "list" else {
      operation = .list(path)
      let collection = try ResourcePath(collection: path)
      let query = StructuredQuery(
        parent: collection.parent ?? ResourcePath(segments: []), collectionID: collection.id)
      target = .list(query, database: database, offset: 0)
      return
    }
    let name = try ResourcePath(document: path)
    let before = try await documents.get(path)
    own = before.map { (path, $0) }
    let change: DocumentWrite.Operation
    switch method {
    case "get":
      operation = .get(path)
      target = .get(name, database: database, document: before.map { .exists($0) } ?? .missing)
      return
    case "create": (operation, change) = (.create(path, fields), .set(fields))
    case "set": (operation, change) = (.set(path, fields), .set(fields))
    case "update":
      operation = .update(path, fields)
      change = .update(fields, mask: fields.names.map { FieldPath([$0]) })
    case "delete": (operation, change) = (.delete(path), .delete)
    default: throw BrowserProblem("There is no method \(method).")
    }
    let write = DocumentWrite(name, change, precondition: nil)
    target = .write(
      name, database: database, document: before.map { .exists($0) } ?? .missing,
      newDocument: try write.result(on: before, at: time))
  }

  private static func object(
    _ method: String, _ path: String, _ bucket: String, _ stored: Fields?, _ fields: Fields
  ) throws(BrowserProblem) -> (RulesOperation, RulesRequest.Target) {
    guard let kind = RulesMethod(rawValue: method) else {
      throw BrowserProblem("There is no method \(method).")
    }
    var new = fields
    new["name"] = .string(path)
    new["bucket"] = .string(bucket)
    let isWrite = kind == .create || kind == .update
    let target = RulesRequest.Target.object(
      path, bucket: bucket, method: kind, object: stored.map { .exists($0) } ?? .missing,
      newObject: isWrite ? new : nil)
    switch kind {
    case .get: return (.getObject(path), target)
    case .list: return (.listObjects(path), target)
    case .create: return (.createObject(path, fields), target)
    case .update: return (.updateObject(path, fields), target)
    default: return (.deleteObject(path), target)
    }
  }

  /// Returns the metadata of an object as rules see it; `nil` if it doesn't exist.
  private static func object(_ name: String, in bucket: String, _ embedded: Embedded) async throws -> Fields?
  {
    let place = "\(DatabaseName.percentEncoded(bucket))/o/\(DatabaseName.percentEncoded(name))"
    guard !name.isEmpty, let url = URL(string: "http://127.0.0.1/storage/v1/b/\(place)") else { return nil }
    let administrator = HTTPHeader(name: "Authorization", value: "Bearer owner")
    let answer = try await embedded.send(
      TransportRequest(.get, url, headers: HTTPHeaders([administrator])))
    guard answer.status == 200, let json = try? JSON(parsing: answer.body) else { return nil }
    var fields: Fields = ["name": .string(name), "bucket": .string(bucket)]
    for member in ["contentType", "md5Hash"] { fields[member] = json[member]?.string.map(Value.string) }
    fields["size"] = json["size"]?.text.flatMap { Int64($0) }.map(Value.integer)
    let custom = (json["metadata"]?.object ?? [:]).compactMapValues { $0.string.map(Value.string) }
    fields["metadata"] = .map(Fields(custom))
    return fields
  }

  /// Returns the decision of rules, and the documents that they have read with that of the request.
  func decide(by rules: SecurityRules) async throws -> (RulesDecision, [String: Fields]) {
    let reader = Reader(documents)
    let request = RulesRequest(target, user: user, time: time.roundedDownToMilliseconds)
    let decision = try await rules.evaluate(request, documents: reader)
    var read = reader.found.withLock { $0 }
    if let own { read[own.path] = own.fields }
    return (decision, read)
  }

  /// Reads documents for rules, and remembers them. Nothing is written, so their state after the writes is the
  /// present one, except for the document of the request itself.
  private final class Reader: RulesDocuments {
    let found = Lock<[String: Fields]>([:])
    private let documents: EmbeddedDocuments

    init(_ documents: EmbeddedDocuments) { self.documents = documents }

    func document(_ path: ResourcePath, isAfterWrites: Bool) async throws -> RulesDocument {
      guard let fields = try await documents.get(path.text) else { return .missing }
      found.withLock { $0[path.text] = fields }
      return .exists(fields)
    }
  }
}
