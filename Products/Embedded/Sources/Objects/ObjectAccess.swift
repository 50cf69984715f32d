import TenonValues

/// An attempt to read or write objects of the embedded backend, for ``Embedded/onObjectAccess(bucket:_:)``.
public struct ObjectAccess: Sendable {
  /// A kind of access, as in the security rules of Cloud Storage for Firebase
  /// (https://firebase.google.com/docs/storage/security/core-syntax#granular_operations).
  public struct Operation: RawRepresentable, Sendable, Hashable {
    /// The kind as text, for example `get`.
    public let rawValue: String

    /// Creates a kind from its text. Later versions may have kinds that this one doesn't declare.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Downloading an object, or reading its metadata.
    public static let get = Operation(rawValue: "get")
    /// Reading a page of a list.
    public static let list = Operation(rawValue: "list")
    /// Uploading an object whose name isn't in use.
    public static let create = Operation(rawValue: "create")
    /// Replacing an object that exists, or changing its metadata.
    public static let update = Operation(rawValue: "update")
    /// Deleting an object.
    public static let delete = Operation(rawValue: "delete")
  }

  /// What a rule can know about an object.
  public struct Resource: Sendable, Hashable {
    /// The size of the content in bytes; `nil` for an upload that begins without stating it.
    public let size: Int64?
    /// The content type; `nil` if none was set.
    public let contentType: String?
    /// The MD5 digest of the content in base64; `nil` for an upload that begins without stating it.
    public let md5Hash: String?
    /// The custom metadata.
    public let customMetadata: [String: String]
    /// What only Security Rules see: the other members of an object, by their names.
    var others: Fields = [:]
    /// Whether everything is known. The size and the digests of an upload that begins may not be.
    var isComplete = true
  }

  /// The kind of access.
  public let operation: Operation
  /// The signed-in user; `nil` if no user is signed in.
  public let auth: RequestAuth?
  /// The name of the bucket.
  public let bucket: String
  /// The name of the object in the bucket, for example `users/ada/photo.png`. For a list, its prefix.
  public let path: String
  /// The object before the access; `nil` if it doesn't exist, and for lists.
  public let object: Resource?
  /// The object after the access; `nil` if it is deleted or only read.
  public let newObject: Resource?
}

extension Embedded {
  /// Sets a closure that decides which objects of a bucket users can read and write.
  ///
  /// ```swift
  /// embedded.onObjectAccess(bucket: "demo.appspot.com") { access in
  ///   access.operation == .get || access.path.hasPrefix("users/\(access.auth?.uid ?? "-")/")
  /// }
  /// ```
  ///
  /// The closure of the access's bucket decides; without one, that of all buckets. Without either,
  /// ``EmbeddedSettings/objectsRequireSignIn`` decides, which has no effect on a bucket that has a closure.
  /// Access that isn't allowed fails with status 403, also if the object doesn't exist.
  ///
  /// An upload is checked when it begins, with what is known then, and again when it is complete, with its
  /// size and digest; nothing is stored if either check fails. A resumable upload keeps the user with whom it
  /// was begun. A list is allowed or denied as a whole.
  ///
  /// Not checked are administrators, and downloads with a download token of the object in their URL. If any
  /// bucket has a closure, Cloud Storage's JSON API is for administrators only. The closure applies to the
  /// app of this backend only: other apps that share the directory have their own.
  ///
  /// - Parameters:
  ///   - bucket: the name of the bucket; `nil`, the default, for all buckets that have no separate closure.
  ///   - allows: returns whether an access is allowed. It is called while the database is in use, so it must
  ///     not block. `nil` removes the closure.
  public func onObjectAccess(
    bucket: String? = nil, _ allows: (@Sendable (ObjectAccess) -> Bool)?
  ) {
    objects.rules.replace(in: bucket, with: allows)
  }
}

extension ObjectRecord {
  /// The object as rules see it.
  var access: ObjectAccess.Resource {
    var others = metadata.others
    others["generation"] = .integer(generation)
    others["metageneration"] = .integer(metageneration)
    others["timeCreated"] = .timestamp(Timestamp(millisecondsSince1970: timeCreated))
    others["updated"] = .timestamp(Timestamp(millisecondsSince1970: updated))
    others["crc32c"] = .string(crc32c)
    others["etag"] = .string(etag)
    return ObjectAccess.Resource(
      size: size, contentType: metadata.contentType, md5Hash: md5Hash, customMetadata: metadata.custom ?? [:],
      others: others)
  }
}

extension ObjectMetadata {
  /// The members that rules see besides the content type and the custom metadata.
  var others: Fields {
    var fields: Fields = [:]
    fields["contentEncoding"] = contentEncoding.map(Value.string)
    fields["contentDisposition"] = contentDisposition.map(Value.string)
    fields["contentLanguage"] = contentLanguage.map(Value.string)
    fields["cacheControl"] = cacheControl.map(Value.string)
    return fields
  }
}
