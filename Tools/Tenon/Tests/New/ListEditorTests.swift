import Foundation
import TenonTestSupport
import Testing

@testable import tenon

@Suite(.limited) struct ListEditorTests {
  @Test(
    arguments: [
      ("f(a: [])", "f(a: [\n  X,\n])"), ("f(a: [1])", "f(a: [1,\n  X,\n])"),
      ("f(\n  a: [\n    1,\n  ]\n)", "f(\n  a: [\n    1,\n    X,\n  ]\n)"),
      ("f(\n  a: [\n    \"b]\"  // ]\n  ], c: 1)", "f(\n  a: [\n    \"b]\",  // ]\n    X,\n  ], c: 1)"),
      ("// a: [\nf(a: [g(b: [])])", "// a: [\nf(a: [g(b: []),\n  X,\n])"),
    ])
  func anElementIsAddedAtTheEnd(text: String, expected: String) {
    #expect(ListEditor.append(["X"], toListAfter: "a:", in: text) == expected)
  }

  @Test(arguments: [
    "f(b: [])", "f(a: b)", "f(a: [] + b)", "f(a: [].map(b))", "f(a: [], g(a: []))", "f(a: [", "f(ba: [])",
  ])
  func aListThatIsNotPlainIsRefused(text: String) {
    #expect(ListEditor.append(["X"], toListAfter: "a:", in: text) == nil)
  }

  @Test func exceptionsAreAddedAndRemovedWithoutChangingTheRest() throws {
    for text in [
      "{\n  \"prefix\": \"A\"\n}\n", "{\"exceptions\": [\n]}\n",
      "{\n  \"exceptions\": [\n    {\"rule\": \"a\"}\n  ]\n}\n",
    ] {
      let before = LintExceptions(text: text)
      let after = try before.adding([InteropHasAConsumer.id], for: "Interop/A/Sources/")
      #expect(after.text?.contains("\"path\": \"Interop/A/Sources/\"") == true)
      let removed = try after.removing(InteropHasAConsumer.id, for: "Interop/A/Sources/")
      #expect(removed.text?.contains("Interop/A") == false)
      #expect(removed.text?.contains(/,\s*\]/) == false)
      let members = try JSONSerialization.jsonObject(with: Data((removed.text ?? "").utf8)) as? [String: Any]
      #expect((members?["exceptions"] as? [Any])?.count == (text.contains("rule") ? 1 : 0))
      #expect(try before.removing(InteropHasAConsumer.id, for: "Interop/A/Sources/").text == text)
    }
  }
}
