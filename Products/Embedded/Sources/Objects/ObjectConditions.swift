import TenonTransport

/// The preconditions of a request about the generation of an object
/// (https://cloud.google.com/storage/docs/request-preconditions).
struct ObjectConditions: Sendable, Hashable, Codable {
  /// The generation that the object must have; 0 if it must not exist.
  var generation: Int64?
  /// The generation that the object must not have; 0 if it must exist.
  var otherGeneration: Int64?
  /// The metageneration that the object must have.
  var metageneration: Int64?
  /// The metageneration that the object must not have.
  var otherMetageneration: Int64?

  /// Creates preconditions that always hold.
  init() {}

  /// Reads the parameters of a query.
  ///
  /// - Parameters:
  ///   - query: the items of the query.
  ///   - prefix: the beginning of the parameters' names: `if`, or `ifSource` for the source of a copy.
  /// - Throws: ``Refusal`` with status 400 if a value isn't a whole number.
  init(_ query: [String: String], prefix: String = "if") throws {
    func number(_ name: String) throws -> Int64? {
      guard let text = query[prefix + name] else { return nil }
      guard let number = Int64(decimal: text), number >= 0 else {
        throw Refusal.badObjectRequest("\(prefix + name) must be a whole number.")
      }
      return number
    }
    generation = try number("GenerationMatch")
    otherGeneration = try number("GenerationNotMatch")
    metageneration = try number("MetagenerationMatch")
    otherMetageneration = try number("MetagenerationNotMatch")
  }

  /// Checks the preconditions.
  ///
  /// - Parameters:
  ///   - record: the object; `nil` if it doesn't exist.
  ///   - isRead: whether the request only reads: a generation that must not be the present one then means
  ///     that the client has it already.
  /// - Throws: ``Refusal`` with status 412, or 304 for a read of what the client has.
  func check(_ record: ObjectRecord?, isRead: Bool = false) throws {
    let (present, presentMeta) = (record?.generation ?? 0, record?.metageneration ?? 0)
    guard generation ?? present == present, metageneration ?? presentMeta == presentMeta else {
      throw Refusal.failedCondition
    }
    let isKnown = otherGeneration == present || (record != nil && otherMetageneration == presentMeta)
    guard !isKnown else { throw isRead && record != nil ? Refusal.notModified : Refusal.failedCondition }
  }

  /// Checks the preconditions about the metageneration of a bucket.
  ///
  /// - Throws: ``Refusal`` as ``check(_:isRead:)``; with status 501 for a precondition about its generation.
  func check(_ bucket: StoredBucket, isRead: Bool = false) throws {
    guard generation == nil, otherGeneration == nil else {
      throw Refusal.unimplemented("preconditions about the generation of a bucket")
    }
    guard metageneration ?? bucket.metageneration == bucket.metageneration else {
      throw Refusal.failedCondition
    }
    guard otherMetageneration != bucket.metageneration else {
      throw isRead ? Refusal.notModified : Refusal.failedCondition
    }
  }
}
