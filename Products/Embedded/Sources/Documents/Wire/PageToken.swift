import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// The token of a page, which continues one list after its last element and no other list.
///
/// It begins with a checksum of what is listed, so that a token of another list, or any other text, is refused
/// and not taken for a place.
enum PageToken {
  /// Returns a token.
  ///
  /// - Parameters:
  ///   - place: the last element of the page.
  ///   - list: what is listed, and in which order.
  static func make(after place: Data, in list: String) -> String {
    (checksum(list, place) + place).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Returns the place of a token; `nil` for no token.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` for a text that is no token of the list.
  static func place(of token: String?, in list: String) throws(StoreRemoteError) -> Data? {
    guard let token, !token.isEmpty else { return nil }
    guard let data = Data(wireBase64: token), data.count >= 8,
      checksum(list, Data(data.dropFirst(8))) == Data(data.prefix(8))
    else { throw StoreRemoteError(.invalidArgument, "Invalid page token.") }
    return Data(data.dropFirst(8))
  }

  /// Returns eight bytes that differ for other lists and places: FNV-1a, which is no protection against
  /// forgery, because a forged token only leads to a place that the list could be asked for anyway.
  private static func checksum(_ list: String, _ place: Data) -> Data {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    // Checked: bytes.
    for byte in Array(list.utf8) + [0] + place { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return withUnsafeBytes(of: hash.bigEndian) { Data($0) }
  }
}
