/// What one check of `tenon doctor` found.
struct Diagnosis: Codable, Equatable {
  enum Status: String, Codable { case ok, warning, problem }

  /// What was checked, for example `Swift`.
  let check: String
  let status: Status
  /// What is true, in one sentence.
  let message: String
  /// The command that fixes it, or what to do; `nil` if there is nothing to fix.
  let fix: String?

  static func ok(_ check: String, _ message: String) -> Diagnosis {
    Diagnosis(check: check, status: .ok, message: message, fix: nil)
  }
  static func warning(_ check: String, _ message: String, fix: String) -> Diagnosis {
    Diagnosis(check: check, status: .warning, message: message, fix: fix)
  }
  static func problem(_ check: String, _ message: String, fix: String?) -> Diagnosis {
    Diagnosis(check: check, status: .problem, message: message, fix: fix)
  }
}

extension Diagnosis: CustomStringConvertible {
  var description: String { "\(status.rawValue): \(check): \(message)" + (fix.map { "\n  - \($0)" } ?? "") }
}
