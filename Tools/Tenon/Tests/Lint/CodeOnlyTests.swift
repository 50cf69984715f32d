import TenonTestSupport
import Testing

@testable import tenon

@Suite(.limited) struct CodeOnlyTests {
  /// Each text ends with a brace, and no other one is code.
  @Test(
    arguments: [
      #""Write {\"a\"." }"#, #""\"." }"#, #""\(a ? "{" : "\"b\".")\"." }"#,
      #""\(list.joined(separator: "{"))." }"#, #""\(f("\(g("{"))"))" }"#, #""\(a /* ") */ + 1) {" }"#,
      ##"#"\"{"# }"##, ##"#"\#("{\"")."# }"##, "\"\"\"\n{ \"quoted\\\".\n\"\"\" }", "/* { /* { */ { */ }",
      "// {\n}",
    ])
  func bracesInStringsAndCommentsAreNoCode(text: String) {
    let code = CodeOnly.blanking(text)
    #expect(code.filter { "{}".contains($0) } == "}", "\(code)")
    #expect(code.count == text.count)
  }
}
