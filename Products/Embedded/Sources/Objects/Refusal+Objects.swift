import TenonTransportInterop

extension Refusal {
  static let noSuchObject = Refusal(404, "Not Found.", reason: "notFound")
  static let missingAdministrator = Refusal(403, "Missing admin credentials.", reason: "forbidden")

  static func badObjectRequest(_ message: String) -> Refusal { Refusal(400, message) }

  /// - Parameter permission: `READ`, `LIST` or `WRITE`.
  static func denied(_ permission: String) -> Refusal {
    Refusal(403, "Permission denied. No \(permission) permission.", reason: "forbidden")
  }
}
