#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Requests carry passwords and tokens. Their descriptions, which may end in logs and error messages, contain
// none.

extension HTTPHeader: CustomStringConvertible, CustomReflectable {
  /// The name and the value, for example `Accept: text/plain`. The value of a field that carries credentials
  /// is left out.
  public var description: String { "\(name): \(isCredential ? "(hidden)" : value)" }

  /// The same as ``description``.
  public var customMirror: Mirror { Mirror(self, children: ["field": description]) }

  /// Whether the field's name is that of credentials.
  private var isCredential: Bool {
    let name = name.lowercased()
    return name.contains("authorization") || name.contains("cookie") || name.contains("token")
      || name.contains("key")
      || name.hasPrefix("x-firebase-") || name == "location" || name.hasPrefix("x-goog-upload")
  }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
  /// The method and the URL without its query, for example `GET https://example.com/path`.
  public var description: String {
    let port = url.port.map { ":\($0)" } ?? ""
    return "\(method.rawValue) \(url.scheme ?? "")://\(url.host() ?? "")\(port)\(url.path)"
  }

  /// The same as ``description``, and the header fields.
  public var customMirror: Mirror { Mirror(self, children: ["request": description, "headers": headers]) }
}

extension HTTPBody: CustomStringConvertible, CustomReflectable {
  /// The kind of the body and its size, if it is known.
  public var description: String {
    switch self {
    case .none: "no body"
    case .data(let data): "\(data.count) bytes"
    case .file: "a file"
    case .stream(_, let length): length.map { "a stream of \($0) bytes" } ?? "a stream"
    }
  }

  /// The same as ``description``.
  public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}

extension TransportResponse: CustomStringConvertible, CustomReflectable {
  /// The status and the size of the body, for example `status 200, 12 bytes`.
  public var description: String { "status \(status), \(body.count) bytes" }

  /// The same as ``description``, and the header fields.
  public var customMirror: Mirror { Mirror(self, children: ["response": description, "headers": headers]) }
}
