import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop

@testable import TenonAppCheck
@testable import TenonAuth
@testable import TenonFunctions
@testable import TenonStorage

/// An operation of a product that sends requests.
enum HostileOperation: String, CaseIterable, Sendable {
  case signIn, createUser, refresh, reload, updateProfile, sendPasswordReset
  case exchange, limitedUse
  case call
  case getMetadata, updateMetadata, downloadURL, data, writeToFile, putData, putFile, list

  /// The number of requests, each of which is the first one to be affected by a misbehavior in turn.
  var steps: Int {
    switch self {
    case .signIn, .createUser, .updateProfile, .putFile: 2
    default: 1
    }
  }

  /// Whether the content of the response may be anything.
  var isOpaque: Bool { self == .data || self == .writeToFile }
  /// Whether the response is read piece by piece, with its own limit.
  var isStreamed: Bool { isOpaque }

  /// Returns whether an error is the product's own.
  func isTyped(_ error: any Error) -> Bool {
    switch self {
    case .signIn, .createUser, .refresh, .reload, .updateProfile, .sendPasswordReset: error is AuthError
    case .exchange, .limitedUse: error is AppCheckError
    case .call: error is FunctionsError
    default: error is StorageError
    }
  }

  /// Returns the transport's error that caused an error; `nil` if the product has judged the response itself.
  static func cause(of error: any Error) -> TransportError? {
    switch error {
    case let error as AuthError: error.underlying as? TransportError
    case let error as AppCheckError: error.underlying as? TransportError
    case let error as FunctionsError: error.underlying as? TransportError
    // The error of a time limit has the last failure as its cause.
    case let error as StorageError: error.underlying as? TransportError ?? error.underlying.flatMap(cause)
    default: nil
    }
  }
}

/// An app whose server can be hostile, with one operation.
final class HostileApp: Sendable {
  /// An error of the test itself.
  struct Failure: Error { let description: String }

  let operation: HostileOperation
  let server: HostileServer
  let backend = HostileBackend()
  let transport: HostileTransport
  private let directory: URL
  private let context: AppContext
  private let auth: Auth
  private let storage: Storage
  private let functions: Functions

  /// Launches the app, with a signed-in user if the operation needs one.
  init(_ operation: HostileOperation, _ shared: SystemTransport) async throws {
    self.operation = operation
    server = try HostileServer { [backend] request in backend.response(to: request) }
    transport = HostileTransport(transport: shared, port: server.port)
    directory = FileManager.default.temporaryDirectory.appending(path: "hostile-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    context = AppContext(
      name: "hostile",
      options: AppOptions(
        projectID: "hostile", apiKey: "key", appID: "1:42:web:a1", storageBucket: "bucket",
        backend: .production, data: .directory(directory.appending(path: "data").path)),
      userAgent: "tenon-tests/1")
    auth = try Auth(
      app: context, appCheck: nil, transport: transport, store: try context.standardSessionStore,
      retries: .impatient)
    storage = try StorageInstances(
      app: context, auth: nil, appCheck: nil, transport: transport, time: .impatient
    ).storage(bucket: nil)
    functions = try FunctionsInstances(app: context, auth: nil, appCheck: nil, transport: transport)
      .functions(region: "us-central1")
    // The waits of an upload take no time, unless they are long.
    storage.maxUploadRetryTime = .seconds(10)
    // More than what an upload sends in one request.
    try Data(count: HostileBackend.fileSize).write(to: source)
    if operation.isOnUser { try await signInAgain() }
  }

  /// Stops the server and removes the files.
  func close() {
    server.stop()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Signs the user in again.
  func signInAgain() async throws { try await auth.signIn(withEmail: "ada@example.com", password: "secret") }

  /// The content of Auth's session file.
  func sessionContent() throws -> Data {
    try Data(
      contentsOf: URL(filePath: "\(try context.directory(for: AuthLibrary.name) ?? "")/session.json"))
  }

  private var source: URL { directory.appending(path: "source") }
  private var target: URL { directory.appending(path: "downloads/target") }

  /// Runs the operation and returns a description of its result.
  func run() async throws -> String {
    switch operation {
    case .signIn:
      return "\(try await auth.signIn(withEmail: "ada@example.com", password: "secret").user.profile)"
    case .createUser:
      return "\(try await auth.createUser(withEmail: "ada@example.com", password: "secret").user.profile)"
    case .sendPasswordReset:
      try await auth.sendPasswordReset(withEmail: "ada@example.com")
      return ""
    case .refresh, .reload, .updateProfile: return try await runOnUser()
    case .exchange, .limitedUse:
      let provider = try AppCheckDebugProvider(
        app: context, transport: transport, token: Secret("debug"), time: .impatient
      ) { _ in }
      return
        "\(operation == .exchange ? try await provider.getToken().token : try await provider.getLimitedUseToken().token)"
    case .call:
      let sum: Callable<[Int], Sum> = functions.httpsCallable("sum")
      return "\(try await sum([1, 2, 3]))"
    default: return try await runOnStorage()
    }
  }

  /// The result of the function.
  private struct Sum: Codable {
    var sum: Int
    var parts: [Int]
    var text: String
  }

  private func runOnUser() async throws -> String {
    guard let user = auth.currentUser else { throw Failure(description: "nobody is signed in") }
    switch operation {
    case .refresh: return try await user.getIDToken(forcingRefresh: true)
    case .reload: try await user.reload()
    default:
      let request = user.createProfileChangeRequest()
      request.displayName = "Ada"
      try await request.commitChanges()
    }
    return "\(user.profile)"
  }

  private func runOnStorage() async throws -> String {
    let object = storage.reference(withPath: "a/b.txt")
    switch operation {
    case .getMetadata: return "\(try await object.getMetadata())"
    case .updateMetadata:
      return "\(try await object.updateMetadata(StorageMetadata(contentType: "text/plain")))"
    case .downloadURL: return "\(try await object.downloadURL())"
    case .data: return try await object.data(maxSize: 1 << 20).base64EncodedString()
    case .writeToFile:
      let directory = target.deletingLastPathComponent()
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try await object.writeAsync(toFile: target)
      return try Data(contentsOf: target).base64EncodedString()
    case .putData: return "\(try await object.putDataAsync(HostileBackend.content))"
    case .putFile: return "\(try await object.putFileAsync(from: source))"
    default:
      let page = try await storage.reference(withPath: "a").list(maxResults: 100)
      return "\(page.items.map(\.fullPath)) \(page.prefixes.map(\.fullPath)) \(page.pageToken ?? "")"
    }
  }

  /// What an operation that fails must leave as it is: the stored session, who is signed in, and the file of
  /// the download.
  func state() throws -> [String] {
    let session = try? sessionContent()
    let downloads = target.deletingLastPathComponent()
    let files = (try? FileManager.default.contentsOfDirectory(atPath: downloads.path)) ?? []
    let content = (try? Data(contentsOf: target)).map { "\($0.count)" } ?? "none"
    return [
      session?.base64EncodedString() ?? "none", auth.currentUser.map { "\($0.profile)" } ?? "nobody",
      files.sorted().joined(separator: " "), content,
    ]
  }
}

extension HostileOperation {
  /// Whether a user must be signed in.
  var isOnUser: Bool { [.signIn, .refresh, .reload, .updateProfile].contains(self) }
}
