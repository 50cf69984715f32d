import TenonFoundation
import TenonTransport

/// The accounts of other projects than that of the backend.
final class AccountProjects: Sendable {
  /// The greatest number of other projects, as for documents.
  static let most = DocumentProjects.mostOthers

  private let services = Lock<[String: AccountService]>([:])

  /// Returns the accounts of a project; `nil` if there are too many projects.
  func service(of project: String, creating create: () -> AccountService) -> AccountService? {
    services.withLock { services in
      if let known = services[project] { return known }
      guard services.count < Self.most else { return nil }
      let new = create()
      services[project] = new
      return new
    }
  }
}

extension AccountService {
  /// Returns the service for the accounts of a project; this one if `nil`.
  ///
  /// The settings of another project last as long as the backend; its accounts and tenants are stored.
  ///
  /// - Throws: ``Refusal`` with status 404 for another project, unless the settings say that it exists; with
  ///   `INVALID_PROJECT_ID`, or with status 429 if there are too many.
  func service(ofProject project: String?) throws -> AccountService {
    guard let project, project != projectID else { return self }
    let present = settings()
    guard present.createsProjectsAndTenants else { throw Refusal.otherProject(project, served: projectID) }
    guard project.utf8.count <= 63, DocumentProjects.isProjectID(project) else {
      throw Self.refusal(
        "INVALID_PROJECT_ID",
        "\"\(project.prefix(100))\" can't be the ID of a project: 1 to 63 letters, digits or -.:_")
    }
    let service = others.service(of: project) {
      let shared = SharedSettings(
        EmbeddedSettings(
          codeLifetime: present.codeLifetime, createsProjectsAndTenants: true,
          unverifiedPasskeys: present.unverifiedPasskeys, fastPasswordHashing: present.fastPasswordHashing))
      let settings = { @Sendable in shared.value }
      return AccountService(
        projectID: project,
        database: AccountDatabase(shared: database.shared, projectID: project, tenantID: nil),
        hasher: hasher, settings: settings, changeSettings: { shared.change($0) },
        blocking: blocking.forProject(project, settings: settings), now: now)
    }
    guard let service else {
      throw Refusal(
        429, "The embedded backend has accounts of at most \(AccountProjects.most) other projects at a time.",
        reason: "rateLimitExceeded", statusName: "RESOURCE_EXHAUSTED")
    }
    return service
  }
}
