import TenonAppCheckInterop
import TenonAuthInterop
import TenonCore
import TenonTransport
import TenonTransportInterop

/// The buckets of one app, one instance each.
final class StorageInstances: Sendable {
  private let options: AppOptions
  private let client: StorageClient
  private let instances = Lock<[String: Storage]>([:])

  init(
    app: AppContext,
    auth: (any AuthInterop)?,
    appCheck: (any AppCheckInterop)?,
    transport: (any TransportInterop)?,
    pace: RetryPace = .system
  ) throws {
    options = app.options
    var http = try HTTPClient(app: app, transport: transport)
    http.pace = pace
    client = StorageClient(
      http: http,
      auth: auth,
      appCheck: appCheck,
      options: app.options
    )
  }

  /// - Parameter bucket: the bucket's name; the app's default one when `nil`.
  func storage(bucket: String?) throws(StorageError) -> Storage {
    let bucket = if let bucket { bucket } else { try defaultBucket() }
    guard bucket.wholeMatch(of: /[a-z0-9][a-z0-9._-]+/) != nil else {
      throw StorageError(
        .invalidArgument,
        "\"\(bucket)\" can't name a bucket: it takes lower-case letters, digits, dots, - and _."
      )
    }
    return instances.withLock { instances in
      if let storage = instances[bucket] { return storage }
      let storage = Storage(bucket: bucket, client: client)
      instances[bucket] = storage
      return storage
    }
  }

  private func defaultBucket() throws(StorageError) -> String {
    if let bucket = options.storageBucket { return bucket }
    // The embedded backend has any bucket that is asked for.
    if options.backend.kind == .embedded { return "\(options.projectID).appspot.com" }
    throw StorageError(
      .invalidArgument,
      "The app has no default bucket. Set AppOptions.storageBucket, or name one: Storage.storage(url: \"gs://bucket\")."
    )
  }
}
