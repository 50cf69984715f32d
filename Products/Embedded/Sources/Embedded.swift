public import TenonCore
import TenonFoundation
import TenonObservabilityInterop
import TenonTelemetry
import TenonTransport
import TenonTransportInterop
import TenonValues

/// The embedded backend of an app: accounts, callable functions, objects and documents inside the process.
///
/// An app uses the embedded backend if its options select `AppBackend.embedded(directory:)`. The products
/// then call it as they would call Firebase. With a directory, everything that the backend acknowledged is
/// durable there, and several processes may use the directory at the same time. Without one, all data is in
/// memory and is lost with the app.
///
/// ```swift
/// try App.configure(options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
/// try Embedded.embedded().onCall("add") { (request: CallableRequest<[Int]>) in request.data.reduce(0, +) }
/// ```
///
/// Documents are shared through Store: the apps of one directory, in this process or in others, act as the
/// devices of one project. For a week, a batch that is sent again is recognized and applied only once, and
/// listeners resume with the changes that they missed; a listener that missed more than 64 MiB of changes
/// receives its whole result again. A query reads its entire collection, because there are no indexes.
/// Notifying listeners of a change costs time in proportion to the change.
///
/// The backend trusts its own process: ID tokens are unsigned, like those of the emulators. App Check tokens
/// are signed on Linux, with a key that is stored with the data. What users may do is decided by ``EmbeddedSettings``, ``onDocumentAccess(_:)``,
/// ``onCollectionGroupAccess(_:_:)`` and ``onObjectAccess(bucket:_:)``; <doc:Access> has the verdict for
/// every service and credential. Never expose the backend to a network that you don't trust.
///
/// ## Services
///
/// - Authentication: Identity Toolkit versions 1 and 3, parts of version 2, Secure Token, and the paths of
///   the Auth emulator. Passwords, email links, anonymous users, phone numbers, custom tokens, identity
///   providers, tenants and second factors (phone numbers and authenticator apps) are supported.
///   ``beforeCreate(_:)`` and ``beforeSignIn(_:)`` are blocking functions.
/// - Callable functions: closures that are registered with
///   `onCall(_:region:consumesAppCheckToken:timeout:_:)`, with or without streaming.
/// - Functions that respond to any request of HTTP, and <doc:Events>: functions for documents, objects, users
///   and times, each with at-least-once delivery.
/// - Cloud Storage: version 0 of `firebasestorage`, and version 1 of Cloud Storage's JSON API, both with
///   simple, multipart and resumable uploads. The JSON API is for administrators if anything restricts
///   objects, and for everybody otherwise. Versions, access control lists and notifications aren't supported.
/// - App Check: tokens for debug tokens and custom tokens, the key that verifies them (`v1/jwks`), the debug
///   tokens of apps, and replay protection.
/// - Documents: Firestore's data model, through Store, through version 1 of Firestore's REST API, and through
///   the channels of its web clients (`Listen` and `Write`); `tenon-server` adds gRPC. Indexes and settings of
///   fields are kept and listed; queries don't need them. Pipelines aren't supported.
///
/// Requests for other features of these services fail with status 501, so that they aren't mistaken for
/// errors of the app.
///
/// ## Limits
///
/// A JSON body is limited to 1 MiB, that of documents to 32 MiB, a multipart body to 256 MiB, a password to
/// 511 bytes; objects are limited by the disk only. The backend keeps at most 10,000 unused codes and 1,000
/// active uploads, and deletes the oldest ones beyond that. It remembers 100,000 consumed App Check tokens until
/// they expire, and consumes no others beyond that. It keeps at most 2,000 sessions of listeners and
/// writers in other processes, each with 1 MiB of messages that its client hasn't received, and 1,000
/// transactions.
public final class Embedded: Sendable {
  /// Accounts and their tokens: Identity Toolkit and Secure Token.
  let accounts: AccountService
  /// Callable functions.
  let functions: CallableService
  /// The functions that respond to any request.
  let requests: RequestService
  /// Runs the closures of all functions.
  let runner: FunctionRunner
  /// The functions that receive events.
  let events: EventRegistry
  /// Calls the functions for documents.
  let documentEvents: EventDispatcher
  /// Calls the functions for objects, users and times.
  let otherEvents: EventDispatcher
  /// Objects in buckets: Cloud Storage for Firebase.
  let objects: ObjectService
  /// App Check tokens.
  let appCheck: AppCheckService
  /// Determines the callers of all services.
  let authenticator: Authenticator
  /// Documents, in a separate database.
  let documentDatabase: DocumentDatabase
  /// The documents of all projects that are served.
  let documentProjects: DocumentProjects
  /// The documents over REST.
  let documentService: DocumentService
  /// The streams of documents over WebChannel.
  let channels: ChannelService
  /// The rules of this app for documents.
  let documentRules: DocumentRules
  /// The ID of the project whose requests are served.
  let projectID: String
  /// Receives the errors that can't be reported to a caller.
  let logger: AppLogger?
  /// Records each request.
  let exchanges: ExchangeLog
  /// The clock of all services.
  let time: TimeSource
  /// The database of accounts and objects.
  let database: EmbeddedDatabase
  /// The settings, shared by all services.
  private let currentSettings: SharedSettings

  /// Returns the embedded backend of an app.
  ///
  /// - Parameter app: the app; the default app if `nil`.
  /// - Throws: `ComponentError` if the app uses another backend.
  public static func embedded(app: App? = nil) throws -> Embedded {
    try (app ?? App.default).resolve(Embedded.self, from: EmbeddedLibrary.self)
  }

  /// The settings in which Firebase projects differ. A change applies from the next request on.
  ///
  /// Clients can change ``EmbeddedSettings/emailPrivacy`` and ``EmbeddedSettings/duplicateEmails`` through
  /// the configuration path of the Auth emulator. Administrators can also change the sign-in methods, through
  /// version 2 of Identity Toolkit (`projects/{project}/config`).
  public var settings: EmbeddedSettings {
    get { currentSettings.value }
    set { currentSettings.value = newValue }
  }

  /// Creates the backend for the options of an app.
  ///
  /// - Throws: `ComponentUnavailable` if the options select another backend, or have no project ID.
  convenience init(app: AppContext, telemetry: Telemetry) throws {
    guard case .embedded(let directory) = app.options.backend else {
      throw ComponentUnavailable(
        "The app's backend is \(app.options.backend.kind.rawValue); AppOptions.backend must be .embedded."
      )
    }
    self.init(projectID: try app.options.required(.projectID), directory: directory, telemetry: telemetry)
  }

  /// Creates a backend. No file is opened before the first request.
  ///
  /// - Parameters:
  ///   - projectID: the ID of the project.
  ///   - directory: the directory for the data; `nil` to keep it in memory.
  ///   - telemetry: the log, the metrics and the spans; none by default.
  ///   - hasher: hashes passwords.
  ///   - time: the clock.
  ///   - outgoing: returns what sends requests to blocking functions over HTTP.
  init(
    projectID: String,
    directory: String?,
    telemetry: Telemetry = .silent,
    hasher: PasswordHasher = PasswordHasher(),
    time: TimeSource = .system,
    outgoing: @escaping @Sendable () -> any TransportInterop = { SystemTransport.shared }
  ) {
    let now = { @Sendable in time.timestamp() }
    let events = EventRegistry()
    self.events = events
    let database = EmbeddedDatabase(directory: directory, projectID: projectID, events: events, now: now)
    let shared = SharedSettings()
    let settings = { @Sendable in shared.value }
    self.projectID = projectID
    let logger = telemetry.logger
    self.logger = logger
    exchanges = ExchangeLog(
      telemetry: telemetry, histogram: "tenon.embedded.request.duration", kind: .internal)
    self.time = time
    self.database = database
    currentSettings = shared
    let runner = FunctionRunner(time: time)
    self.runner = runner
    accounts = AccountService(
      projectID: projectID,
      database: AccountDatabase(shared: database, projectID: projectID, tenantID: nil),
      hasher: hasher,
      settings: settings,
      changeSettings: { shared.change($0) },
      blocking: BlockingFunctions(
        projectID: projectID, settings: settings, now: now, transport: outgoing, runner: runner,
        logger: logger),
      now: now
    )
    let appCheck = AppCheckService(
      projectID: projectID, database: database, settings: settings, now: now)
    self.appCheck = appCheck
    let authenticator = Authenticator(
      projectID: projectID, appCheck: appCheck, settings: settings, now: now)
    self.authenticator = authenticator
    functions = CallableService(appCheck: appCheck, runner: runner, time: time, logger: logger)
    requests = RequestService(appCheck: appCheck, runner: runner, logger: logger)
    documentRules = DocumentRules(now: now, telemetry: telemetry)
    let documents = DocumentDatabase(
      directory: directory, projectID: projectID, rules: documentRules, events: events, logger: logger,
      time: time)
    documentDatabase = documents
    documentEvents = EventDispatcher(
      documents, of: .documents, registry: events, runner: runner, time: time, logger: logger)
    otherEvents = EventDispatcher(
      database, of: .others, registry: events, runner: runner, time: time, logger: logger)
    events.setWaking { [weak documentEvents, weak otherEvents] source in
      (source == .documents ? documentEvents : otherEvents)?.wake()
    }
    objects = ObjectService(
      projectID: projectID,
      database: database,
      authenticator: authenticator,
      settings: settings,
      rules: ObjectRules(telemetry: telemetry),
      readDocuments: { try await documents.fetch($0, DocumentDatabase.defaultName, .administrator) },
      now: now
    )
    let rules = documentRules
    documentProjects = DocumentProjects(own: documentDatabase) {
      shared.value.servesOtherProjects
    } creating: { project in
      DocumentDatabase(
        directory: directory, projectID: project,
        rules: DocumentRules(now: now, inheriting: rules, telemetry: telemetry),
        events: nil, logger: logger, time: time)
    }
    documentService = DocumentService(projects: documentProjects)
    channels = ChannelService(documentProjects, authenticator, time: time)
  }

  /// Closes the databases. Later requests fail.
  func close() async {
    await channels.close()
    await documentEvents.close()
    await otherEvents.close()
    await documentProjects.close()
    await database.close()
  }
}

/// The settings, which all services read and some change.
final class SharedSettings: Sendable {
  /// The present settings.
  private let settings: Lock<EmbeddedSettings>

  /// Creates settings with the given values.
  init(_ settings: EmbeddedSettings = EmbeddedSettings()) { self.settings = Lock(settings) }

  /// A copy of the settings.
  var value: EmbeddedSettings {
    get { settings.withLock { $0 } }
    set { settings.withLock { $0 = newValue } }
  }

  /// Changes the settings in one step.
  func change(_ body: (inout EmbeddedSettings) -> Void) { settings.withLock { body(&$0) } }
}
