import TenonTestSupport
import Testing

@testable import NotesText

@Suite(.limited) struct VisibleTextTests {
  @Test(
    arguments: [
      ("plain é 東京 👩‍👩‍👧", "plain é 東京 👩‍👩‍👧"), ("a\u{1B}[31mb\u{7}", "a\\u{1B}[31mb\\u{7}"),
      ("a\r\nb\tc\0", "a\\u{D}\\u{A}b\\u{9}c\\u{0}"), ("\u{9B}2J\u{7F}", "\\u{9B}2J\\u{7F}"),
      ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"),
      (
        "\u{202E}fdp.exe\u{202C}\u{2066}\u{2069}\u{200E}\u{061C}",
        "\\u{202E}fdp.exe\\u{202C}\\u{2066}\\u{2069}\\u{200E}\\u{61C}"
      ),
    ])
  func charactersThatATerminalInterpretsAreEscaped(text: String, visible: String) {
    #expect(text.visible == visible)
    #expect(text.visible.unicodeScalars.allSatisfy { !$0.actsOnTerminals })
  }

  @Test func lineBreaksAreKept() {
    #expect("a\n\tb\r\n\u{1B}c".visibleLines == "a\n\tb\\u{D}\n\\u{1B}c")
  }
}
