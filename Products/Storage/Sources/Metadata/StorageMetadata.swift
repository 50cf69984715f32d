public import Foundation

/// The metadata of an object: settings that an app chooses, and properties that the server reports.
///
/// Two values are equal if all visible properties are equal.
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
    var timeCreated: Date?
    var updated: Date?
  }

  /// The present settings.
  var settings: Settings
  /// The settings when the server reported them; empty for new metadata.
  let original: Settings
  /// The properties from the server; empty for new metadata.
  let report: Report

  /// Creates the metadata of a server's response. Its settings are the original ones of a later update.
  init(_ settings: Settings, report: Report) {
    self.settings = settings
    original = settings
    self.report = report
  }

  /// Creates metadata for an upload or an update. Properties that are `nil` are left to the server's defaults.
  ///
  /// - Parameters:
  ///   - contentType: the media type, for example `image/jpeg`.
  ///   - cacheControl: the field `Cache-Control` of downloads.
  ///   - contentDisposition: the field `Content-Disposition` of downloads.
  ///   - contentEncoding: the field `Content-Encoding` of downloads.
  ///   - contentLanguage: the field `Content-Language` of downloads.
  ///   - customMetadata: names and values of the app's own.
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

  /// The media type; `application/octet-stream` for objects that were uploaded without one.
  public var contentType: String? {
    get { settings.contentType }
    set { settings.contentType = newValue }
  }

  /// The field `Cache-Control` of downloads.
  public var cacheControl: String? {
    get { settings.cacheControl }
    set { settings.cacheControl = newValue }
  }

  /// The field `Content-Disposition` of downloads.
  public var contentDisposition: String? {
    get { settings.contentDisposition }
    set { settings.contentDisposition = newValue }
  }

  /// The field `Content-Encoding` of downloads.
  public var contentEncoding: String? {
    get { settings.contentEncoding }
    set { settings.contentEncoding = newValue }
  }

  /// The field `Content-Language` of downloads.
  public var contentLanguage: String? {
    get { settings.contentLanguage }
    set { settings.contentLanguage = newValue }
  }

  /// Names and values of the app's own; `nil` if there are none.
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
  /// The size of the content in bytes.
  public var size: Int64 { report.size }
  /// The version of the content. It changes with each upload.
  public var generation: Int64 { report.generation }
  /// The version of the metadata within the generation. It changes with each update.
  public var metageneration: Int64 { report.metageneration }
  /// The MD5 digest of the content in Base64; `nil` if the server doesn't report one.
  public var md5Hash: String? { report.md5Hash }
  /// When the object was created.
  public var timeCreated: Date? { report.timeCreated }
  /// When the content or the metadata last changed.
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
