import NIOHPACK
import TenonFoundation
import TenonStoreInterop

/// The status at the end of a call.
struct GRPCStatus: Error, Sendable {
  let code: StatusCode
  /// A sentence for the reader of the error; empty for success.
  let message: String

  static let ok = GRPCStatus(.ok, "")

  init(_ code: StatusCode, _ message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: StoreRemoteError) {
    self.init(StatusCode(hyphenatedName: error.code.rawValue) ?? .unknown, error.message)
  }

  /// The status of a call that ends with an error.
  init(of error: any Error) {
    switch error {
    case let status as GRPCStatus: self = status
    case let error as StoreRemoteError: self.init(error)
    case is CancellationError: self.init(.cancelled, "The call was cancelled.")
    default: self.init(.internal, "The embedded backend failed.")
    }
  }

  /// Adds the status to the fields that end a call.
  func add(to fields: inout HPACKHeaders) {
    fields.add(name: "grpc-status", value: "\(code.rawValue)")
    if !message.isEmpty { fields.add(name: "grpc-message", value: Self.encoded(message)) }
  }

  /// Returns a message in the form of `grpc-message`: percent-encoded UTF-8.
  private static func encoded(_ message: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    // A longer one would exceed the limits of clients for fields.
    for byte in message.utf8.prefix(longestMessage) {
      if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%") {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static let longestMessage = 1_500
}
