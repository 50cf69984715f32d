import TenonFoundation

/// Why an export can't be read or written: a sentence that names the file, and the place in it.
package struct ExportProblem: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  /// - Parameters:
  ///   - file: the path of the file.
  ///   - place: the number of bytes before what is wrong; `nil` for the file as a whole.
  ///   - reason: what is wrong, as the rest of a sentence.
  package init(_ file: String, at place: Int64? = nil, _ reason: String) {
    description = "\(file)\(place.map { ", byte \($0)" } ?? ""): \(reason)"
  }

  /// Runs a closure, and names the file if it fails.
  package static func naming<Value>(
    _ file: String, _ body: () throws -> Value
  ) throws(ExportProblem) -> Value {
    do { return try body() } catch let problem as ExportProblem { throw problem } catch {
      throw ExportProblem(file, "\(error.systemReason)")
    }
  }
}
