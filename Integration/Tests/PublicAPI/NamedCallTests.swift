import Foundation
import TenonTestSupport
import TenonTesting
import Testing

/// Texts of errors say what to call. These calls exist.
@Suite(.limited) struct NamedCallTests {
  /// Returns the calls that a text names with their labels, for example `Store.deleteCollection(_:)`.
  private static func calls(in text: String) -> [(
    text: String, type: Substring?, name: Substring, labels: [Substring]
  )] {
    text.matches(of: /\b(?:(?:\w+\.)*([A-Z]\w*)\.)?([A-Za-z_]\w*)\(((?:\w+:)*)\)/).map { match in
      (String(match.0), match.1, match.2, match.3.split(separator: ":"))
    }
  }

  @Test func everyCallThatAnErrorNamesExists() throws {
    let pages = try APIPages(root: packageRoot)
    var count = 0
    for area in ["Core", "Products"] {
      for file in try Page.files(in: packageRoot.appending(path: area), named: ".swift")
      where file.path.contains("/Sources/") {
        for text in StringLiterals(of: try String(contentsOf: file, encoding: .utf8)).texts {
          for call in Self.calls(in: text) {
            count += 1
            #expect(
              pages.haveCall(call.name, of: call.type, labels: call.labels),
              "\(file.path): no public \(call.text) for “\(text)”. See api.txt of the library for its calls.")
          }
        }
      }
    }
    #expect(count > 30)
  }

  @Test func callsAreFoundInLiterals() {
    let source = #"""
      // "comment()"
      throw Failure("There is \(count(of: "x()")) document; use set(_:), \(name) or Store.open(at:in:).")
      let raw = #"see \(close()) "quoted()""# /* "no()" */
      let long = """
        Call "App.configure()" first.
        """
      """#
    let texts = StringLiterals(of: source).texts
    #expect(
      texts == [
        "x()", "There is … document; use set(_:), … or Store.open(at:in:).", #"see \(close()) "quoted()""#,
        "\n  Call \"App.configure()\" first.\n  ",
      ])
    let calls = Self.calls(in: texts[1] + texts[3])
    #expect(calls.map(\.text) == ["set(_:)", "Store.open(at:in:)", "App.configure()"])
    #expect(calls.map(\.type) == [nil, "Store", "App"])
    #expect(calls.map(\.labels) == [["_"], ["at", "in"], []])
  }
}
