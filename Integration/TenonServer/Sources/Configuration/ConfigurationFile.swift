import TenonFoundation
import TenonJSON

/// A JSON file of Firebase's command-line tool, in which comments are allowed.
struct ConfigurationFile {
  /// The path of the file, as it is shown.
  let path: String
  let content: JSON

  /// The largest file that is read, in bytes.
  private static let largest = 4 << 20

  /// Reads a file.
  ///
  /// - Throws: ``ConfigurationProblem`` if it can't be read, or isn't an object of JSON.
  init(_ path: String) throws(ConfigurationProblem) {
    self.path = path
    let text: Data
    do { text = try Data(contentsOf: URL(filePath: path)) } catch {
      throw ConfigurationProblem("\(path) can't be read: \(error.systemReason).")
    }
    do { content = try JSON(parsing: Self.withoutComments(text), limit: Self.largest) } catch {
      let place = error.place(in: text)
      throw ConfigurationProblem("\(path):\(place.line):\(place.column): This isn't JSON: \(error.reason).")
    }
    guard content.object != nil else {
      throw ConfigurationProblem("\(path) isn't an object. Begin it with { and end it with }.")
    }
  }

  /// Returns a problem of a member, which is named as it is reached, for example `emulators.auth.port`.
  func problem(_ member: String, _ text: String) -> ConfigurationProblem {
    ConfigurationProblem("\(path): \(member) \(text)")
  }

  /// Returns a member that is text; `nil` if there is none.
  ///
  /// - Throws: ``ConfigurationProblem`` for another type.
  func text(
    _ value: JSON?, _ member: String, _ meaning: String
  ) throws(ConfigurationProblem) -> String? {
    guard let value, value != .null else { return nil }
    guard let text = value.string, !text.isEmpty else {
      throw problem(member, "isn't text. Write \(meaning).")
    }
    return text
  }

  /// Returns a text whose comments are blank, so that everything else stays in its place.
  private static func withoutComments(_ text: Data) -> Data {
    var bytes = Array(text)
    let mark = { (index: Int, character: Unicode.Scalar) in
      index < bytes.count && bytes[index] == UInt8(ascii: character)
    }
    var index = 0
    var isString = false
    while index < bytes.count {
      defer { index += 1 }
      if isString {
        if mark(index, "\\") { index += 1 } else if mark(index, "\"") { isString = false }
        continue
      }
      isString = mark(index, "\"")
      guard mark(index, "/"), mark(index + 1, "/") || mark(index + 1, "*") else { continue }
      let isLine = mark(index + 1, "/")
      var end = index + 2
      while end < bytes.count, isLine ? !mark(end, "\n") : !(mark(end, "*") && mark(end + 1, "/")) {
        end += 1
      }
      end = isLine ? end : min(end + 2, bytes.count)
      for place in index..<end where bytes[place] != UInt8(ascii: "\n") { bytes[place] = UInt8(ascii: " ") }
      index = end - 1
    }
    return Data(bytes)
  }
}
