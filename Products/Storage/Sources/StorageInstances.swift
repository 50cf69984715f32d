import TenonAdminInterop
import TenonAppCheckInterop
import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTransport
import TenonTransportInterop

/// The ``Storage`` of one app, one instance per bucket and authority. It can be used from any thread.
final class StorageInstances: Sendable {
  /// The options of the app, which name its default bucket.
  private let options: AppOptions
  /// The client that all buckets of users share.
  private let client: StorageClient
  /// Returns what has the credential of administrators; `nil` if Admin isn't linked.
  private let admin: @Sendable () throws -> (any AdminInterop)?
  /// The instances that were requested so far.
  private let instances = Lock<[Key: Storage]>([:])

  /// What distinguishes the instances.
  private struct Key: Hashable {
    let bucket: String
    let authority: Authority
  }

  /// The retries of operations without content, as in Firebase's SDKs: after the same statuses and failures
  /// of the network, with growing delays, until the operation's time limit has passed. The number of attempts
  /// matters only for limits of more than ten minutes.
  static let retries = RetryPolicy(
    attempts: 20, firstDelay: .seconds(1), longestDelay: .seconds(64),
    statuses: [408, 429, 500, 502, 503, 504])

  /// Creates the app's buckets.
  ///
  /// - Parameters:
  ///   - app: the options of the app, and the name that it sends to servers.
  ///   - auth: the source of ID tokens; `nil` if Auth isn't linked.
  ///   - appCheck: the source of App Check tokens; `nil` if App Check isn't linked.
  ///   - transport: the transport of a linked library; the network if `nil`.
  ///   - admin: returns what has the credential of administrators; `nil`, the default, if Admin isn't linked.
  ///   - telemetry: the log, the metrics and the spans; none by default.
  ///   - time: the clock of deadlines and retries.
  /// - Throws: `TransportError` if the app uses the embedded backend and it isn't linked.
  init(
    app: AppContext,
    auth: (any AuthInterop)?,
    appCheck: (any AppCheckInterop)?,
    transport: (any TransportInterop)?,
    admin: @escaping @Sendable () throws -> (any AdminInterop)? = { nil },
    telemetry: Telemetry = .silent,
    time: TimeSource = .system
  ) throws {
    options = app.options
    self.admin = admin
    var http = try HTTPClient(app: app, transport: transport, telemetry: telemetry)
    http.time = time
    http.retries = Self.retries
    client = StorageClient(
      http: http,
      signer: RequestSigner(auth: auth, appCheck: appCheck, scheme: .firebase, time: time),
      app: app.name,
      options: app.options
    )
  }

  /// Returns the instance of a bucket.
  ///
  /// - Parameters:
  ///   - bucket: the bucket's name; the app's default bucket if `nil`.
  ///   - authority: on whose authority requests are made; that of the user by default.
  /// - Throws: ``StorageError/Code/invalidArgument`` if the name is malformed or there is no default bucket, and
  ///   ``StorageError/Code/adminNotLinked``; the error of the container.
  func storage(bucket: String?, as authority: Authority = .user) throws -> Storage {
    let bucket = if let bucket { bucket } else { try defaultBucket() }
    guard bucket.wholeMatch(of: /[a-z0-9][a-z0-9._-]+/) != nil else {
      throw StorageError(
        .invalidArgument,
        "\"\(bucket)\" isn't the name of a bucket. Names consist of lower-case letters, digits, \".\", \"-\" and \"_\"."
      )
    }
    // Outside the lock, because this resolves a component.
    let client = authority == .user ? client : try administratorsClient()
    let key = Key(bucket: bucket, authority: authority)
    return instances.withLock { instances in
      if let storage = instances[key] { return storage }
      let storage = Storage(bucket: bucket, client: client)
      instances[key] = storage
      return storage
    }
  }

  /// Returns a client whose requests are those of an administrator, of whom no App Check token is asked.
  private func administratorsClient() throws -> StorageClient {
    guard let admin = try admin() else {
      throw StorageError(
        .adminNotLinked,
        "Storage can't be used as an administrator, because no linked library has an administrator's credential. "
          + "Link the product TenonAdmin.")
    }
    let source = RequestSigner.AdminSource(admin, isEmbedded: options.backend.kind == .embedded)
    let signer = RequestSigner(.admin(source), appCheck: nil, time: client.http.time)
    return StorageClient(http: client.http, signer: signer, app: client.app, options: options)
  }

  /// Returns the name of the app's default bucket.
  ///
  /// - Throws: ``StorageError/Code/invalidArgument`` if there is none.
  private func defaultBucket() throws(StorageError) -> String {
    if let bucket = options.storageBucket { return bucket }
    // The embedded backend creates buckets on demand.
    if options.backend.kind == .embedded, let project = options.projectID { return "\(project).appspot.com" }
    throw StorageError(
      .invalidArgument,
      "The app has no default bucket. Set AppOptions.storageBucket, or name one: Storage.storage(url: \"gs://bucket\")."
    )
  }
}
