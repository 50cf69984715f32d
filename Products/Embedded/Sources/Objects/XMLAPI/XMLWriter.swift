import TenonFoundation

/// Writes the documents of Cloud Storage's XML API.
struct XMLWriter: Sendable {
  /// The namespace of the documents, which clients of both Google and S3 expect.
  static let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

  /// The text that was written.
  private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"

  /// Creates a document with a root element.
  ///
  /// - Parameters:
  ///   - root: the name of the root element.
  ///   - namespace: its namespace; none if it is `nil`.
  ///   - content: writes the content of the element.
  init(_ root: String, namespace: String? = XMLWriter.namespace, _ content: (inout XMLWriter) -> Void) {
    text += namespace.map { "<\(root) xmlns=\"\($0)\">" } ?? "<\(root)>"
    content(&self)
    text += "</\(root)>"
  }

  /// The document.
  var data: Data { Data(text.utf8) }

  /// Writes an element that contains text; nothing if the text is `nil`.
  mutating func write(_ name: String, _ value: String?) {
    guard let value else { return }
    text += "<\(name)>\(Self.escaped(value))</\(name)>"
  }

  /// Writes an element that contains others.
  mutating func write(_ name: String, _ content: (inout XMLWriter) -> Void) {
    text += "<\(name)>"
    content(&self)
    text += "</\(name)>"
  }

  /// Returns a text whose special characters are references. Control characters, which XML 1.0 doesn't have,
  /// are references as well, as in S3's documents: clients that expect them ask for `encoding-type=url`.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n", " ": result.unicodeScalars.append(scalar)
      default:
        if scalar.value < 0x20 {
          result += "&#\(scalar.value);"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
  }
}
