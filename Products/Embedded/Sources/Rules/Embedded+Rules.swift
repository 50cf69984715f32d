import TenonDocuments
import TenonFoundation
public import TenonRules
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop
import TenonValues

extension Embedded {
  /// The Security Rules that decide which documents users can read and write; `nil`, at first, if there are
  /// none.
  ///
  /// ```swift
  /// embedded.documentSecurityRules = try SecurityRules(contentsOf: URL(filePath: "firestore.rules"))
  /// ```
  ///
  /// Rules take the place of the closures of ``onDocumentAccess(_:)`` and ``onCollectionGroupAccess(_:_:)``,
  /// and a later closure takes theirs. They apply from the next request on. A listener that they don't allow
  /// ends with `permission-denied`; they decide about it again before each change that it receives.
  /// Administrators aren't checked.
  ///
  /// The rules apply to the app of this backend only: other apps that share the directory have their own.
  public var documentSecurityRules: SecurityRules? {
    get { (documentRules.current as? DocumentSecurityRules)?.rules }
    set {
      documentRules.replace(with: newValue.map(DocumentSecurityRules.init))
      reviewListeners()
    }
  }

  /// The Security Rules that decide which objects users can read and write; `nil`, at first, if there are
  /// none.
  ///
  /// Rules take the place of the closures of ``onObjectAccess(bucket:_:)`` in all buckets, and a later
  /// closure takes theirs. They apply from the next request on, and Cloud Storage's JSON API is for
  /// administrators only.
  ///
  /// With `firestore.get` and `firestore.exists`, rules read documents of the default database, at most two
  /// for an access. They are read before the object is, so a change of both isn't seen as one.
  public var objectSecurityRules: SecurityRules? {
    get { (objects.rules.current as? ObjectSecurityRules)?.rules }
    set {
      let time = time
      objects.rules.replace(
        with: newValue.map { ObjectSecurityRules(rules: $0, now: { time.timestamp() }) })
    }
  }

  /// Replaces rules as the emulators do: those of Firestore for
  /// `PUT /emulator/v1/projects/PROJECT:securityRules`, which may name any project that is served, and those of
  /// Storage for `PUT /internal/setRules`. The body is `{"rules":{"files":[{"content":"…"}]}}`. As in the
  /// emulators, no credentials are needed, because test tools send none; see <doc:Access>.
  ///
  /// - Throws: ``Refusal`` with status 400 if the body is invalid, or with the mistakes of rules that can't
  ///   be used; the present rules remain then.
  func replaceRules(_ request: TransportRequest, _ service: RulesService) throws -> TransportResponse {
    guard request.method == .put else {
      throw Refusal(405, "Rules are replaced with PUT.")
    }
    guard case .data(let body) = request.body,
      let files = try? JSON(parsing: body)["rules"]?["files"]?.array, files.count == 1,
      let content = files[0]["content"]?.string
    else {
      throw Refusal(
        400, #"The body must be {"rules":{"files":[{"content":"…"}]}} with one file."#,
        statusName: "INVALID_ARGUMENT")
    }
    let rules: SecurityRules
    do throws(RulesError) { rules = try SecurityRules(source: content) } catch {
      throw Refusal(400, "Error compiling rules:\n\(error)", statusName: "INVALID_ARGUMENT")
    }
    switch service {
    case .documents(projectID): documentSecurityRules = rules
    case .documents(let project):
      do throws(StoreRemoteError) {
        try documentProjects.database(of: project).rules.replace(with: DocumentSecurityRules(rules: rules))
      } catch {
        throw Refusal(error.code.status.httpStatus, error.message, statusName: error.code.status.name)
      }
      Task { [documentProjects] in await documentProjects.reviewListeners() }
    case .objects: objectSecurityRules = rules
    }
    return try TransportResponse(status: 200, json: .members([:]))
  }
}

/// The services with Security Rules.
enum RulesService: Sendable, Hashable {
  /// Those of the documents of a project.
  case documents(project: String)
  case objects
}
