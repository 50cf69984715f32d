import Foundation
import TenonDocuments
import TenonStoreEngine
import TenonStoreInterop
import TenonValues

/// Text in the results of `tenon store`.
enum StoreText {
  /// Returns a number with its thousands separated.
  static func number(_ number: some BinaryInteger) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + text
  }

  /// Returns a number with the word that it counts.
  static func count(_ number: some BinaryInteger, _ word: String, _ plural: String? = nil) -> String {
    "\(self.number(number)) \(number == 1 ? word : plural ?? word + "s")"
  }

  /// Returns a number of bytes, rounded, for example `1.5 MB`.
  static func bytes(_ bytes: some BinaryInteger) -> String {
    var (value, units) = (Double(bytes), ["bytes", "KB", "MB", "GB", "TB"][...])
    while value >= 1000, units.count > 1 {
      value /= 1000
      units = units.dropFirst()
    }
    let unit = units.first ?? ""
    guard unit != "bytes" else { return "\(self.number(bytes)) bytes" }
    let tenths = Int((value * 10).rounded())
    return value < 10 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(Int(value.rounded())) \(unit)"
  }

  /// Returns a user's ID in a sentence.
  static func user(_ user: String?) -> String { user.map { "user \($0)" } ?? "the signed-out user" }

  /// Returns rows as lines whose columns are aligned: the first to the left, the others to the right.
  static func table(_ rows: [[String]]) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      row.enumerated().map { column, text in
        let space = String(repeating: " ", count: widths[column] - text.count)
        return column == 0 ? text + space : space + text
      }.joined(separator: "  ")
    }
  }

  /// Returns a value as JSON with sorted keys.
  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// Returns compact JSON with line breaks and indentation.
  static func indented(_ json: [UInt8]) -> String {
    var (text, depth, isInString, isEscaped) = ([UInt8](), 0, false, false)
    func lineBreak() { text += [10] + [UInt8](repeating: 32, count: depth * 2) }
    for (index, byte) in json.enumerated() {
      if isInString {
        text.append(byte)
        isInString = byte != UInt8(ascii: "\"") || isEscaped
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        text.append(byte)
        depth += 1
        // Both ends of what is empty stay on one line.
        let next = index + 1 < json.count ? json[index + 1] : 0
        if next != UInt8(ascii: "}"), next != UInt8(ascii: "]") { lineBreak() }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if let last = text.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") { lineBreak() }
        text.append(byte)
      case UInt8(ascii: ","):
        text.append(byte)
        lineBreak()
      case UInt8(ascii: ":"): text += [byte, 32]
      default:
        isInString = byte == UInt8(ascii: "\"")
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension DocumentLine {
  /// Creates the line of a document in a database.
  init(_ document: StoredDocument) {
    self.init(
      path: document.path, fields: document.fields,
      createTime: document.createTime == .zero ? nil : document.createTime,
      updateTime: document.updateTime == .zero ? nil : document.updateTime,
      hasPendingWrites: document.hasLocalMutations)
  }

  /// The line as JSON.
  func json() throws -> [UInt8] {
    var writer = WireWriter(DatabaseName(project: Self.project))
    try write(to: &writer)
    return writer.bytes
  }
}
