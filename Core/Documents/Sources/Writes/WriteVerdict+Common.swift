package import TenonStoreInterop

extension WriteVerdict {
  /// Creates the verdict that several attempts have in common, if it isn't known which of them the server
  /// will see.
  ///
  /// - Parameter verdicts: the verdicts of the attempts.
  package init(of verdicts: [WriteVerdict]) {
    var reasons: [String] = []
    for case .denied(let reason) in verdicts where !reasons.contains(reason) { reasons.append(reason) }
    let areDenied = verdicts.allSatisfy { if case .denied = $0 { true } else { false } }
    if !verdicts.isEmpty, verdicts.allSatisfy({ $0 == .allowed }) {
      self = .allowed
    } else if areDenied, !reasons.isEmpty {
      self = .denied(reason: reasons.joined(separator: " If the document exists: "))
    } else {
      self = .unknown
    }
  }
}
