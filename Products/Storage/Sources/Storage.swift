public import TenonCore

/// Keeps objects in a bucket, over the protocol of Firebase's Cloud Storage.
///
/// ```swift
/// let photo = try Storage.storage().reference("photos/tea.jpg")
/// try await photo.put(data, metadata: StorageMetadata(contentType: "image/jpeg"))
/// ```
///
/// Where Auth is linked and somebody is signed in, requests carry their ID token; where App Check is linked, its token.
/// Neither is sent unencrypted to another machine. Operations throw ``StorageError``, the error of Auth when the user's token
/// can't be had, and `CancellationError` when their task is cancelled.
public final class Storage: Sendable {
  /// The bucket's name, for example `my-project.appspot.com`.
  public let bucket: String
  let client: StorageClient
  private let times = Lock(Times())

  private struct Times {
    var operation = Duration.seconds(120)
    var upload = Duration.seconds(600)
    var download = Duration.seconds(600)
  }

  /// How long an operation other than an upload or a download may take, with its tokens and repetitions; 2 minutes at
  /// first. After that it throws ``StorageError/Code/deadlineExceeded``.
  public var maxOperationRetryTime: Duration {
    get { times.withLock { $0.operation } }
    set { times.withLock { $0.operation = newValue } }
  }

  /// How long each request of an upload may wait for its tokens and be sent again, 10 minutes at first. Content that is
  /// on its way may take its time.
  public var maxUploadRetryTime: Duration {
    get { times.withLock { $0.upload } }
    set { times.withLock { $0.upload = newValue } }
  }

  /// How long a download may wait for its tokens, 10 minutes at first. Content that is on its way may take its time.
  public var maxDownloadRetryTime: Duration {
    get { times.withLock { $0.download } }
    set { times.withLock { $0.download = newValue } }
  }

  init(bucket: String, client: StorageClient) {
    self.bucket = bucket
    self.client = client
  }

  /// A bucket of an app.
  ///
  /// - Parameters:
  ///   - app: the app, the default one when `nil`.
  ///   - url: the bucket as `gs://name`; ``TenonCore/AppOptions/storageBucket`` when `nil`.
  /// - Throws: ``StorageError`` with ``StorageError/Code/invalidArgument``; the error of the app's container.
  public static func storage(app: App? = nil, url: String? = nil) throws -> Storage {
    let instances = try (app ?? App.default).resolve(StorageInstances.self, from: StorageLibrary.self)
    guard let url else { return try instances.storage(bucket: nil) }
    guard let match = url.wholeMatch(of: /gs:\/\/([^\/]+)\/?/) else {
      throw StorageError(.invalidArgument, "\"\(url)\" is not a bucket's URL; write it as gs://bucket.")
    }
    return try instances.storage(bucket: String(match.1))
  }

  /// An object's place, or a folder's.
  ///
  /// - Parameter path: slash-separated; slashes at the ends and doubled ones don't count. The root when empty.
  /// - Throws: ``StorageError`` with ``StorageError/Code/pathError``.
  public func reference(_ path: String = "") throws -> StorageReference {
    try StorageReference(storage: self, path: path)
  }
}
