public import TenonFoundation

/// The metadata of an object: settings that an app chooses, and properties that the server reports.
///
/// Two values are equal if all visible properties are equal. The fields of Cloud Storage are documented at
/// https://cloud.google.com/storage/docs/metadata.
public struct StorageMetadata: Sendable {
  /// The properties that an app can set.
  struct Settings: Sendable, Hashable {
    var contentType: String?
    var cacheControl: String?
    var contentDisposition: String?
    var contentEncoding: String?
    var contentLanguage: String?
    var custom: [String: String]?
  }

  /// The properties that only the server sets.
  struct Report: Sendable, Hashable {
    var bucket = ""
    var path: String?
    var size: Int64 = 0
    var generation: Int64 = 0
    var metageneration: Int64 = 0
    var md5Hash: String?
    var crc32c: String?
    var etag: String?
    var storageClass: String?
    var downloadTokens: [Secret] = []
    var timeCreated: Date?
    var updated: Date?
  }

  /// The current settings.
  var settings: Settings
  /// The settings that the server reported; empty for new metadata. An update sends the differences from
  /// them.
  let original: Settings
  /// The properties from the server; empty for new metadata.
  let report: Report

  /// Creates the metadata of a server's response. A later update sends the differences from these settings.
  init(_ settings: Settings, report: Report) {
    self.settings = settings
    original = settings
    self.report = report
  }

  /// Creates metadata for an upload or an update. Properties that are `nil` are left to the server's
  /// defaults.
  ///
  /// - Parameters:
  ///   - contentType: the media type, for example `image/jpeg`.
  ///   - cacheControl: the field `Cache-Control` of downloads.
  ///   - contentDisposition: the field `Content-Disposition` of downloads.
  ///   - contentEncoding: the field `Content-Encoding` of downloads.
  ///   - contentLanguage: the field `Content-Language` of downloads.
  ///   - customMetadata: custom keys and values.
  public init(
    contentType: String? = nil,
    cacheControl: String? = nil,
    contentDisposition: String? = nil,
    contentEncoding: String? = nil,
    contentLanguage: String? = nil,
    customMetadata: [String: String]? = nil
  ) {
    settings = Settings(
      contentType: contentType, cacheControl: cacheControl, contentDisposition: contentDisposition,
      contentEncoding: contentEncoding, contentLanguage: contentLanguage, custom: customMetadata)
    original = Settings()
    report = Report()
  }

  /// The media type of the content (RFC 9110, section 8.3); `application/octet-stream` for objects that were
  /// uploaded without one.
  public var contentType: String? {
    get { settings.contentType }
    set { settings.contentType = newValue }
  }

  /// The field `Cache-Control` of downloads (RFC 9111, section 5.2), for example `public, max-age=3600`.
  public var cacheControl: String? {
    get { settings.cacheControl }
    set { settings.cacheControl = newValue }
  }

  /// The field `Content-Disposition` of downloads (RFC 6266), for example `attachment; filename="tea.jpg"`.
  public var contentDisposition: String? {
    get { settings.contentDisposition }
    set { settings.contentDisposition = newValue }
  }

  /// The field `Content-Encoding` of downloads (RFC 9110, section 8.4), for example `gzip`. The content isn't
  /// encoded by the library.
  public var contentEncoding: String? {
    get { settings.contentEncoding }
    set { settings.contentEncoding = newValue }
  }

  /// The field `Content-Language` of downloads (RFC 9110, section 8.5), for example `en`.
  public var contentLanguage: String? {
    get { settings.contentLanguage }
    set { settings.contentLanguage = newValue }
  }

  /// Custom keys and values; `nil` if there are none.
  public var customMetadata: [String: String]? {
    get { settings.custom }
    set { settings.custom = newValue }
  }

  /// The name of the object's bucket; empty for new metadata.
  public var bucket: String { report.bucket }
  /// The object's path; `nil` for new metadata.
  public var path: String? { report.path }
  /// The last segment of the object's path; `nil` for new metadata.
  public var name: String? { report.path?.split(separator: "/").last.map(String.init) }
  /// The size of the content in bytes; 0 for new metadata.
  public var size: Int64 { report.size }
  /// The version of the content, which changes with each upload; 0 for new metadata.
  public var generation: Int64 { report.generation }
  /// The version of the metadata within a generation, which changes with each update; 0 for new metadata.
  public var metageneration: Int64 { report.metageneration }
  /// The MD5 digest of the content in Base64; `nil` if the server reports none.
  public var md5Hash: String? { report.md5Hash }
  /// The CRC32C of the content (RFC 3720, section 12.1) as four big-endian bytes in Base64; `nil` if the
  /// server reports none.
  public var crc32c: String? { report.crc32c }
  /// The entity tag, which changes with the content; `nil` if the server reports none.
  public var etag: String? { report.etag }
  /// The storage class, for example `STANDARD`; `nil` if the server reports none.
  public var storageClass: String? { report.storageClass }
  /// The tokens in the object's download URLs, with which anyone can download it. Descriptions of the
  /// metadata don't show them. See ``StorageReference/downloadURL()``.
  public var downloadTokens: [String] { report.downloadTokens.map(\.value) }
  /// The time at which the object was created; `nil` for new metadata.
  public var timeCreated: Date? { report.timeCreated }
  /// The time at which the content or the metadata last changed; `nil` for new metadata.
  public var updated: Date? { report.updated }
}

extension StorageMetadata: Hashable {
  /// Whether all visible properties are equal.
  public static func == (left: StorageMetadata, right: StorageMetadata) -> Bool {
    left.settings == right.settings && left.report == right.report
  }

  /// Hashes the visible properties.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(settings)
    hasher.combine(report)
  }
}
