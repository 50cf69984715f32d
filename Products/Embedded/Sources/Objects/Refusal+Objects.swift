import TenonTransportInterop

extension Refusal {
  /// The error for an object that doesn't exist.
  static let noSuchObject = Refusal(404, "Not Found.", reason: "notFound")
  /// The error for a method that requires an administrator's credentials.
  static let missingAdministrator = Refusal(403, "Missing admin credentials.", reason: "forbidden")
  /// The error for a precondition that doesn't hold.
  static let failedCondition = Refusal(
    412, "At least one of the pre-conditions you specified did not hold.", reason: "conditionNotMet")
  /// The response to a read of a generation that the client has.
  static let notModified = Refusal(304, "Not Modified", reason: "notModified")
  /// The error for an upload that was cancelled, with the status that Cloud Storage uses for it.
  static let cancelledUpload = Refusal(499, "The upload was cancelled.", reason: "cancelled")

  /// Creates an error of the request: status 400.
  static func badObjectRequest(_ message: String) -> Refusal { Refusal(400, message) }

  /// Creates the error for a missing permission: status 403.
  ///
  /// - Parameter permission: `READ`, `LIST` or `WRITE`.
  static func denied(_ permission: String) -> Refusal {
    Refusal(403, "Permission denied. No \(permission) permission.", reason: "forbidden")
  }

  /// Creates the error for a full disk: status 507 (RFC 4918, section 11.5).
  ///
  /// - Parameter path: the path of the database; `nil` if it is in memory.
  static func fullDisk(_ path: String?) -> Refusal {
    Refusal(
      507,
      "There is no space left\(path.map { " for \($0)" } ?? ""). Nothing was changed; free some space and try again.",
      reason: "insufficientStorage", statusName: "RESOURCE_EXHAUSTED")
  }
}
