import Foundation
public import TenonCore
import TenonDocuments
import TenonTransportInterop

/// The embedded backend of an app: accounts, callable functions, objects and documents inside the process.
///
/// An app uses it when its options say ``AppBackend/embedded(directory:)``. The products then talk to it as they
/// would to Firebase. With a directory, everything that was answered is durable there, and several processes may
/// use the directory at the same time; without one, everything is gone with the app.
///
/// ```swift
/// try App.configure(options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
/// try Embedded.embedded().onCall("add") { (request: CallableRequest<[Int]>) in request.data.reduce(0, +) }
/// ```
///
/// Documents are what Store shares through it: apps of one directory, in this process or in others, are devices of one
/// project. For a week a batch that is sent again is known and applied once, and listeners are continued with what they
/// missed; who missed more than 64 MiB of changes is sent everything anew. Queries read their whole collection, because
/// there are no indexes; telling listeners of a change reads what was changed.
///
/// The backend trusts its own process: ID tokens and App Check tokens are unsigned, as the emulators', and access rules don't exist
/// beyond ``EmbeddedSettings`` and ``onDocumentAccess(_:)``. Never offer it to a network that you don't trust.
public final class Embedded: Sendable {
  let accounts: AccountService
  let functions: CallableService
  let objects: ObjectService
  let appCheck: AppCheckService
  let documentDatabase: DocumentDatabase
  let documentRules = DocumentRules()
  let projectID: String
  let logger: Logger?
  private let database: EmbeddedDatabase
  private let currentSettings: SharedSettings

  /// The embedded backend of an app.
  ///
  /// - Parameter app: the app, the default one when `nil`.
  /// - Throws: ``ComponentError`` when the app works with another backend.
  public static func embedded(app: App? = nil) throws -> Embedded {
    try (app ?? App.default).resolve(Embedded.self, from: EmbeddedLibrary.self)
  }

  /// How the backend behaves where Firebase projects differ. A change holds from the next request on. Clients may change
  /// ``EmbeddedSettings/emailPrivacy`` and ``EmbeddedSettings/duplicateEmails`` as they would on the Auth emulator. Administrators
  /// may also change the ways to sign in, through version 2 of Identity Toolkit (`projects/{project}/config`).
  public var settings: EmbeddedSettings {
    get { currentSettings.value }
    set { currentSettings.value = newValue }
  }

  convenience init(app: AppContext, logger: Logger) throws {
    guard case .embedded(let directory) = app.options.backend else {
      throw ComponentUnavailable(
        "The app's backend is \(app.options.backend.kind.rawValue); AppOptions.backend must be .embedded."
      )
    }
    self.init(projectID: app.options.projectID, directory: directory, logger: logger)
  }

  /// - Parameters:
  ///   - directory: where everything is kept; in memory when `nil`.
  ///   - hasher: computes the hashes of passwords.
  ///   - now: tells the time.
  init(
    projectID: String,
    directory: String?,
    logger: Logger? = nil,
    hasher: PasswordHasher = PasswordHasher(),
    now: @escaping @Sendable () -> Timestamp = { Timestamp(.now) }
  ) {
    let database = EmbeddedDatabase(directory: directory, projectID: projectID, now: now)
    let shared = SharedSettings()
    let settings = { @Sendable in shared.value }
    self.projectID = projectID
    self.logger = logger
    self.database = database
    currentSettings = shared
    accounts = AccountService(
      projectID: projectID,
      database: database,
      hasher: hasher,
      settings: settings,
      changeSettings: { shared.change($0) },
      now: now
    )
    let appCheck = AppCheckService(projectID: projectID, settings: settings, now: now)
    self.appCheck = appCheck
    functions = CallableService(projectID: projectID, appCheck: appCheck, now: now)
    objects = ObjectService(
      projectID: projectID,
      database: database,
      appCheck: appCheck,
      settings: settings,
      now: now
    )
    documentDatabase = DocumentDatabase(
      directory: directory, projectID: projectID, rules: documentRules, logger: logger
    ) { DocumentTime(microsecondsSince1970: now().milliseconds * 1_000) }
  }

  /// Closes the files. Later requests fail.
  func close() async {
    await documentDatabase.close()
    await database.close()
  }
}

/// Settings that all services read.
private final class SharedSettings: Sendable {
  private let settings = Lock(EmbeddedSettings())

  var value: EmbeddedSettings {
    get { settings.withLock { $0 } }
    set { settings.withLock { $0 = newValue } }
  }

  func change(_ body: (inout EmbeddedSettings) -> Void) { settings.withLock { body(&$0) } }
}
