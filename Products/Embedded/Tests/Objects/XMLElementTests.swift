import Foundation
import TenonTestSupport
import Testing

@testable import TenonEmbedded

/// The reader of small XML documents.
@Suite(.limited) struct XMLElementTests {
  @Test func aDocumentHasElementsAndText() throws {
    let text =
      "\u{FEFF}<?xml version=\"1.0\"?><!-- a --><p:A xmlns:p='x>y' b=\"'<\"> <B>1 &lt;&#x41;&#66;&amp;é</B><C/><B >2</B>\n</p:A> "
    let root = try #require(XMLElement(parsing: Data(text.utf8)))
    #expect(root.name == "A" && root.all("B").map(\.text) == ["1 <AB&é", "2"] && root.value("C") == "")
  }

  @Test(arguments: [
    "", "x", "<A>", "</A>", "<A></B>", "<A/><B/>", "<A/>x", "<A>&x;</A>", "<A>&#0;</A>", "<A>&#xD800;</A>",
    "<A>& </A>", "<A>&#99999999999;</A>", "<!DOCTYPE A [<!ENTITY e 'x'>]><A>&e;</A>", "<A><![CDATA[x]]></A>",
    "<A><?x y?></A>", "<A", "<A b='", "<1 2", "< A/>", "<>", "<A/", "<!-- <A/>", "<A><!--</A>", "<A>\u{0}<",
    String(repeating: "<A>", count: 100_000), String(repeating: "<A/>", count: 100_000),
    "<R>" + String(repeating: "<A/>", count: 100_000) + "</R>",
  ])
  func whatIsNotAcceptedIsRefused(text: String) { #expect(XMLElement(parsing: Data(text.utf8)) == nil) }

  @Test func bytesThatAreNotUTF8AreRefused() {
    #expect(XMLElement(parsing: Data([0x3C, 0x41, 0x3E, 0xFF, 0x3C, 0x2F, 0x41, 0x3E])) == nil)
  }
}
