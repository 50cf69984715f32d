import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// The documents of the projects that a backend serves: its own project, and others if the settings say so.
///
/// Each project has databases of its own, in the same file if there is one. The rules of the app apply to all
/// of them that have no other ones.
final class DocumentProjects: Sendable {
  /// The documents of the backend's project.
  let own: DocumentDatabase
  /// Whether requests for other projects are served.
  private let servesOthers: @Sendable () -> Bool
  /// Creates the documents of another project.
  private let create: @Sendable (String) -> DocumentDatabase
  /// The documents of other projects by their IDs.
  private let others = Lock<[String: DocumentDatabase]>([:])

  /// The greatest number of other projects, each of which has a connection and a thread.
  static let mostOthers = 50

  /// Creates a value for a project.
  ///
  /// - Parameters:
  ///   - own: the documents of the project.
  ///   - servesOthers: returns whether requests for other projects are served.
  ///   - create: creates the documents of another project.
  init(
    own: DocumentDatabase, servesOthers: @escaping @Sendable () -> Bool,
    creating create: @escaping @Sendable (String) -> DocumentDatabase
  ) {
    self.own = own
    self.servesOthers = servesOthers
    self.create = create
  }

  /// Returns the documents of a project.
  ///
  /// - Throws: `StoreRemoteError` with `notFound` for another project if only the own one is served, with
  ///   `invalidArgument` for what isn't the ID of a project, with `resourceExhausted` if there are too many.
  func database(of project: String) throws(StoreRemoteError) -> DocumentDatabase {
    guard project != own.projectID else { return own }
    guard servesOthers() else {
      throw StoreRemoteError(
        .notFound,
        "The embedded backend serves the project \(own.projectID), not \(project.prefix(100)).")
    }
    guard project.utf8.count <= 63, Self.isProjectID(project) else {
      throw StoreRemoteError(.invalidArgument, "\"\(project.prefix(100))\" can't be the ID of a project.")
    }
    let found = others.withLock { others -> DocumentDatabase? in
      if let known = others[project] { return known }
      guard others.count < Self.mostOthers else { return nil }
      let new = create(project)
      others[project] = new
      return new
    }
    guard let found else {
      throw StoreRemoteError(
        .resourceExhausted, "The embedded backend serves at most \(Self.mostOthers) other projects at a time."
      )
    }
    return found
  }

  /// Returns what determines the callers of requests for a project: for another one that is served, ID tokens
  /// are those of that project.
  func authenticator(_ authenticator: Authenticator, for project: String?) -> Authenticator {
    guard let project, project != own.projectID, servesOthers() else { return authenticator }
    return authenticator.accepting(tokensOf: project)
  }

  /// Returns whether a text that isn't empty has only characters that may be in the ID of a project.
  static func isProjectID(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isAllowed) }

  /// Returns whether a character may be in the ID of a project: letters, digits, and `-.:_`.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The documents of all projects.
  private var all: [DocumentDatabase] { [own] + others.withLock { Array($0.values) } }

  /// Ends the targets of listeners that the rules no longer allow, after they were replaced.
  func reviewListeners() async {
    for database in all { await database.reviewListeners() }
  }

  /// Closes the databases.
  func close() async {
    for database in all { await database.close() }
  }
}
