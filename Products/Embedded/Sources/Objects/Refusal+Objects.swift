import TenonTransportInterop

extension Refusal {
  /// The error for an object that doesn't exist.
  static let noSuchObject = Refusal(404, "Not Found.", reason: "notFound")
  /// The error for a method that requires an administrator's credentials.
  static let missingAdministrator = Refusal(403, "Missing admin credentials.", reason: "forbidden")

  /// Creates an error of the request: status 400.
  static func badObjectRequest(_ message: String) -> Refusal { Refusal(400, message) }

  /// Creates the error for a missing permission: status 403.
  ///
  /// - Parameter permission: `READ`, `LIST` or `WRITE`.
  static func denied(_ permission: String) -> Refusal {
    Refusal(403, "Permission denied. No \(permission) permission.", reason: "forbidden")
  }
}
