public import TenonAdminInterop
public import TenonCore
public import TenonFoundation
import TenonTransport
public import TenonTransportInterop

/// Stores objects in one bucket of Cloud Storage for Firebase.
///
/// ```swift
/// let photo = try Storage.storage().reference(withPath: "photos/tea.jpg")
/// _ = try await photo.putDataAsync(data, metadata: StorageMetadata(contentType: "image/jpeg"))
/// let copy = try await photo.data(maxSize: 1 << 20)
/// ```
///
/// If Auth is linked and a user is signed in, requests carry the user's ID token. If App Check is linked,
/// they carry the app's token. Tokens are sent only to the bucket's server, over encrypted connections or to
/// this machine. An instance with ``authority`` `.admin` makes its requests as an administrator, regardless of
/// who is signed in.
///
/// Operations throw ``StorageError``, Auth's error if the user's token isn't available, and
/// `CancellationError` if their task is cancelled. All functions can be called concurrently, from any task.
public final class Storage: Sendable {
  /// The bucket's name, for example `my-project.appspot.com`.
  public let bucket: String
  /// On whose authority requests are made.
  public var authority: Authority { client.signer.identity.isAdministrator ? .admin : .user }
  /// The client that the buckets of the app share.
  let client: StorageClient
  /// The time limits, and the size of chunks. A change applies to later operations and to later requests of
  /// running ones.
  private let times = Lock(Times())

  /// The time limits and the size of chunks; the limits of retries with the defaults of Firebase's SDKs.
  private struct Times {
    var operation = Duration.seconds(120)
    var upload = Duration.seconds(600)
    var download = Duration.seconds(600)
    var transfer = Duration.seconds(24 * 3_600)
    var phases = HTTPTimeouts(firstByte: .seconds(60))
    var chunkSize = Int64(ResumableUpload.chunkSize)
  }

  /// The maximum duration of an operation that transfers no content, including tokens and retries; 2 minutes
  /// by default.
  ///
  /// An operation that takes longer throws ``StorageError/Code/retryLimitExceeded``. For a listing, the limit
  /// applies to each page.
  public var maxOperationRetryTime: Duration {
    get { times.withLock { $0.operation } }
    set { times.withLock { $0.operation = newValue } }
  }

  /// The time during which an upload may fail without progress, including waiting for tokens; 10 minutes by
  /// default.
  ///
  /// Temporary failures (no connection; status 408, 429 or 5xx) are followed by further attempts, until the
  /// next one would begin later. Then, the upload throws ``StorageError/Code/retryLimitExceeded``, with the
  /// last failure as the underlying error. A content transfer that has started is limited by ``timeouts`` and
  /// ``maxTransferTime`` only. The time for which the upload is paused doesn't count.
  public var maxUploadRetryTime: Duration {
    get { times.withLock { $0.upload } }
    set { times.withLock { $0.upload = newValue } }
  }

  /// The time during which a download may fail without receiving a byte, including waiting for tokens; 10
  /// minutes by default.
  ///
  /// After a temporary failure (no connection, a connection that breaks, one of the ``timeouts``; status 408,
  /// 429 or 5xx), the missing bytes are requested again with growing delays, and not before the time of
  /// `Retry-After`. The time begins with the last byte that arrived. When it has passed, the download throws
  /// ``StorageError/Code/retryLimitExceeded`` with the last failure in its message. While bytes arrive, a
  /// download is limited by ``maxTransferTime`` only.
  public var maxDownloadRetryTime: Duration {
    get { times.withLock { $0.download } }
    set { times.withLock { $0.download = newValue } }
  }

  /// The maximum duration of an upload or a download as a whole, including tokens, retries and the content;
  /// 24 hours by default.
  ///
  /// A transfer that takes longer throws ``StorageError/Code/retryLimitExceeded``. This is the only limit for
  /// a server that sends or accepts a byte now and then, within ``timeouts``. Negative durations count as
  /// zero, and those of more than a year as a year. A change applies to later transfers.
  public var maxTransferTime: Duration {
    get { times.withLock { $0.transfer } }
    set { times.withLock { $0.transfer = newValue } }
  }

  /// The maximum durations of the phases of each request: 30 seconds for name lookup and connecting, 60
  /// seconds for the first byte of the response, and 60 seconds without progress within a body.
  ///
  /// A phase that takes too long ends the request. While connecting, nothing has been sent: requests that may
  /// be repeated are repeated, and then the error is ``StorageError/Code/unavailable``. Later, it is
  /// ``StorageError/Code/retryLimitExceeded``; an upload in chunks queries the server first how much it has
  /// received, and continues from there. The message names the limit. The setting belongs to this bucket of
  /// the app. It may be set from any thread, and applies to later requests.
  ///
  /// ```swift
  /// storage.timeouts.inactivity = .seconds(20)
  /// ```
  public var timeouts: HTTPTimeouts {
    get { times.withLock { $0.phases } }
    set { times.withLock { $0.phases = newValue } }
  }

  /// The number of bytes in each request of an upload of more than 256 KiB; 4 MiB by default.
  ///
  /// An upload keeps about twice this number of bytes in memory. The number is rounded down to a multiple of
  /// the server's granularity (256 KiB for Cloud Storage), which is also the smallest one, and at most 32
  /// MiB. A change applies to later uploads.
  public var uploadChunkSizeBytes: Int64 {
    get { times.withLock { $0.chunkSize } }
    set { times.withLock { $0.chunkSize = newValue } }
  }

  /// When a transfer that begins now ends at the latest (``maxTransferTime``).
  var transferEnd: ContinuousClock.Instant { client.http.time.now() + maxTransferTime.limited }

  /// Creates the storage of a bucket.
  ///
  /// - Parameters:
  ///   - bucket: a valid bucket name.
  ///   - client: the client of the app.
  init(bucket: String, client: StorageClient) {
    self.bucket = bucket
    self.client = client
  }

  /// Returns a bucket of an app. The same arguments always return the same instance.
  ///
  /// - Parameters:
  ///   - app: the app; the default app if `nil`.
  ///   - url: the bucket as `gs://name`; `AppOptions.storageBucket` if `nil`.
  ///   - authority: on whose authority requests are made. As `.admin`, a server reads and writes past the
  ///     security rules, with the credential of TenonAdmin.
  /// - Throws: ``StorageError`` with ``StorageError/Code/invalidArgument`` if the URL is malformed or the app
  ///   has no default bucket, and with ``StorageError/Code/adminNotLinked`` if the authority is `.admin` and
  ///   TenonAdmin isn't linked; the error of the app's container.
  public static func storage(
    app: App? = nil, url: String? = nil, as authority: Authority = .user
  ) throws -> Storage {
    let instances = try (app ?? App.default).resolve(StorageInstances.self, from: StorageLibrary.self)
    guard let url else { return try instances.storage(bucket: nil, as: authority) }
    guard let match = url.wholeMatch(of: /gs:\/\/([^\/]+)\/?/) else {
      throw StorageError(.invalidArgument, "\"\(url)\" isn't a bucket's URL. Write it as gs://bucket.")
    }
    return try instances.storage(bucket: String(match.1), as: authority)
  }

  /// Returns a reference to the root of the bucket.
  public func reference() -> StorageReference { reference(withPath: "") }

  /// Returns a reference to an object or a folder. No request is sent.
  ///
  /// - Parameter path: the path, with segments separated by slashes. Empty segments are ignored. An invalid
  ///   path is reported by the first operation.
  public func reference(withPath path: String) -> StorageReference {
    StorageReference(storage: self, path: path)
  }

  /// Returns a reference to the object or folder of a URL.
  ///
  /// - Parameter url: `gs://bucket/path`, or a URL of the form that ``StorageReference/downloadURL()``
  ///   returns. The path of a `gs` URL is used as it is, without percent-decoding.
  /// - Throws: ``StorageError`` with ``StorageError/Code/invalidArgument`` if the URL is malformed, and with
  ///   ``StorageError/Code/bucketMismatch`` if it belongs to another bucket.
  public func reference(forURL url: String) throws -> StorageReference {
    let location = try StorageLocation(url)
    guard location.bucket == bucket else {
      throw StorageError(
        .bucketMismatch,
        "\(url) belongs to the bucket \(location.bucket), not to \(bucket). Use Storage.storage(url: "
          + "\"gs://\(location.bucket)\")."
      )
    }
    return reference(withPath: location.path)
  }

  /// Returns a reference to the object or folder of a URL. See ``reference(forURL:)``; the path of a `gs` URL
  /// is percent-decoded first.
  ///
  /// - Parameter url: a `gs` URL, or one of the form that ``StorageReference/downloadURL()`` returns.
  /// - Throws: ``StorageError``, as ``reference(forURL:)`` does.
  public func reference(for url: URL) throws -> StorageReference {
    guard url.scheme == "gs", let host = url.host() else { return try reference(forURL: url.absoluteString) }
    return try reference(forURL: "gs://\(host)\(url.path(percentEncoded: false))")
  }
}
