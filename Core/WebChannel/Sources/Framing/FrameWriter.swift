package import TenonFoundation
import TenonJSON

/// Writes frames: `<length>\n<text>`, where the length counts the UTF-16 code units of the text.
package enum FrameWriter {
  /// Returns a frame with the given text.
  ///
  /// - Parameter text: JSON in valid UTF-8.
  /// - Complexity: O(*n*).
  package static func frame(_ text: [UInt8]) -> Data {
    var frame = Data("\(units(of: text))\n".utf8)
    frame.append(contentsOf: text)
    return frame
  }

  /// Returns a frame with numbered entries: `[[5,[…]],[6,[…]]]`.
  package static func frame(_ entries: [ChannelEntry]) -> Data {
    frame(contents: entries.map { ($0.number, json(of: $0.content)) })
  }

  /// Returns a frame with numbered entries.
  ///
  /// - Parameter contents: the numbers, and the texts that ``json(of:)`` returns.
  static func frame(contents: [(number: MessageNumber, json: Data)]) -> Data {
    var text = Array("[".utf8)
    for (index, entry) in contents.enumerated() {
      text.append(contentsOf: "\(index == 0 ? "" : ",")[\(entry.number),".utf8)
      text.append(contentsOf: entry.json)
      text.append(UInt8(ascii: "]"))
    }
    text.append(UInt8(ascii: "]"))
    return frame(text)
  }

  /// Returns the content of an entry as JSON text, with the array around it.
  static func json(of content: ChannelEntry.Content) -> Data {
    switch content {
    case .handshake(let handshake): return text(["c"] + handshake.parts)
    case .noop: return Data(#"["noop"]"#.utf8)
    case .close: return Data(#"["close"]"#.utf8)
    case .stop: return Data(#"["stop"]"#.utf8)
    case .failure(let failure): return text([failure.json])
    case .message(let payload):
      var text = Data(capacity: payload.count + 2)
      text.append(UInt8(ascii: "["))
      text.append(payload)
      text.append(UInt8(ascii: "]"))
      return text
    }
  }

  /// Returns the text of an array.
  private static func text(_ elements: [JSON]) -> Data {
    // Only a number that isn't finite can't be written, and there is none.
    (try? JSON.array(elements).serialized) ?? Data("[]".utf8)
  }

  /// Returns the number of UTF-16 code units of a text in UTF-8: one for each character, two for those of
  /// four bytes.
  private static func units(of text: [UInt8]) -> Int {
    var count = 0
    for byte in text where byte & 0xC0 != 0x80 { count += byte >= 0xF0 ? 2 : 1 }
    return count
  }
}
