import TenonTransportInterop

extension HTTPHeaders {
  /// The value of the first field of this name, which is compared without regard to case.
  func first(_ name: String) -> String? {
    let name = name.lowercased()
    return fields.first { $0.name.lowercased() == name }?.value
  }
}
