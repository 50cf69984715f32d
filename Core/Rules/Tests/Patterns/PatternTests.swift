import TenonTestSupport
import Testing

@testable import TenonRules

/// What these tests expect is what Google's emulator answered.
@Suite(.limited)
struct PatternTests {
  /// A pattern, a text, and whether the emulator said that they match.
  typealias Case = (pattern: String, text: String, matches: Bool)

  static let cases: [Case] = [
    ("", "", true), ("", "a", false), ("b", "abc", false), ("a|ab", "ab", true),
    ("(a|ab)(c|bcd)", "abcd", true),
    ("a.b", "a\nb", false), ("(?s)a.b", "a\nb", true), ("^a$", "a", true), ("a$", "a\n", false),
    ("(?m)a$\\n^b", "a\nb", true), ("\\Aa\\z", "a", true), ("\\ba\\b", "a", true), ("\\B", "a", false),
    ("a{2}", "aa", true), ("a{2}", "aaa", false), ("a{2,}", "aaaa", true), ("a{0}", "", true),
    ("a{,2}", "a{,2}", true),
    ("a{1", "a{1", true), ("a{01}", "a{01}", true), ("a{1000}", "a", false), ("x{}", "x{}", true),
    ("[^a]", "\n", true), ("[]a]", "]", true), ("[a-]", "-", true), ("[\\d-z]", "-", true),
    ("[[:word:]]", "_", true),
    ("[[:^digit:]]", "a", true), ("[^[:alpha:]]", "1", true), ("\\s", "\u{B}", false),
    ("[[:space:]]", "\u{B}", true),
    ("\\Qa.b\\E", "a.b", true), ("\\Qa.b", "a.b", true), ("\\Qa\\E+", "aa", true),
    ("\\x41\\x{1F600}\\101", "A😀A", true),
    ("\\a\\f\\t\\n\\r\\v", "\u{7}\u{C}\t\n\r\u{B}", true), ("\\_\\é", "_é", true), ("\\pL+", "éß", true),
    ("\\p{Greek}", "α", true), ("\\P{Greek}", "α", false), ("\\p{^Greek}", "1", true),
    ("[\\pN\\p{Lu}]+", "1A", true),
    ("\\pN", "a", false), ("\\p{Any}", "1", true), (".", "😀", true), ("..", "😀", false),
    ("é", "e\u{301}", false),
    ("(?i)k", "\u{212A}", true), ("(?i)[a-z]", "\u{17F}", true), ("(?i)[^k]", "\u{212A}", false),
    ("(?i)\\w", "\u{17F}", true), ("(?i)\\W", "\u{17F}", false), ("\\w", "\u{17F}", false),
    ("(?i)ß", "ẞ", true),
    ("(?i)σ", "ς", true), ("(?i)ı", "I", false), ("(?i:a)b", "Ab", true), ("(?i:a)b", "AB", false),
    ("a(?i)b|c", "C", true), ("(a(?i)b)c", "aBC", false), ("(?i-i)a", "A", false),
    ("(?P<n>a)(?<m>b)", "ab", true),
    ("(?U)a+b", "aab", true), ("(a*)*b", "aaab", true), ("(|a)*", "aa", true), ("()*", "", true),
    ("a(?i)*", "aa", true),
    ("(?:a*)+", "aa", true), ("(a|b)*abb", "ababb", true), (".*@corp[.]com", "ann@corp.com", true),
    (".*@corp[.]com", "ann@corp.community", false), ("[^\\x00-\\x{10FFFF}]", "a", false),
  ]

  @Test(arguments: cases)
  func matchesTheWholeText(_ example: Case) throws {
    let pattern = try Pattern(example.pattern)
    #expect(try pattern.matches(example.text) == example.matches)
  }

  /// A pattern, where its error is, and its code.
  typealias Mistake = (pattern: String, offset: Int?, code: PatternError.Code)

  static let mistakes: [Mistake] = [
    ("a(", 1, .invalidPattern), ("a)", 1, .invalidPattern), ("[(]", 1, .invalidPattern),
    ("\\Q(\\E", 2, .invalidPattern),
    ("*", 0, .invalidPattern), ("a|*", 2, .invalidPattern), ("(*)", 1, .invalidPattern),
    ("a**", 1, .invalidPattern),
    ("a+?*", 1, .invalidPattern), ("a{2}{3}", 1, .invalidPattern), ("{2}", 0, .invalidPattern),
    ("b{*", 1, .invalidPattern),
    ("a{1001}", 1, .invalidPattern), ("a{2,1}", 1, .invalidPattern),
    ("a{99999999999999999999}", 1, .invalidPattern),
    ("[a", 0, .invalidPattern), ("[]", 0, .invalidPattern), ("[b-a]", 1, .invalidPattern),
    ("[[:foo:]]", 1, .invalidPattern),
    ("[a-\\d]", 3, .invalidPattern), ("\\1", 0, .invalidPattern), ("\\8", 0, .invalidPattern),
    ("\\C", 0, .invalidPattern),
    ("\\Z", 0, .invalidPattern), ("a\\", 1, .invalidPattern), ("\\xg", 0, .invalidPattern),
    ("\\x{110000}", 0, .invalidPattern),
    ("\\x{}", 0, .invalidPattern), ("\\p{Foo}", 0, .invalidPattern), ("\\p", 0, .invalidPattern),
    ("\\p{L", 0, .invalidPattern),
    ("(?=a)", 0, .invalidPattern), ("(?<n)", 0, .invalidPattern), ("(?P=n)", 0, .invalidPattern),
    ("(?i-)", 0, .invalidPattern),
    ("(?P<n>a)(?P<n>b)", 8, .invalidPattern), ("(?P<é>a)", 0, .invalidPattern), ("(?z)", 0, .invalidPattern),
    (String(repeating: "(", count: 21), 20, .tooDeep), (String(repeating: "a", count: 4097), nil, .tooLong),
    (String(repeating: "😀", count: 2049), nil, .tooLong), ("((a{100}){100}){100}", 15, .tooLarge),
    ("(?:(?:(?:(?:a{1000}){1000}){1000}){1000}){1000}", 20, .tooLarge),
  ]

  @Test(arguments: mistakes)
  func errorNamesThePlace(_ example: Mistake) {
    let error = #expect(throws: PatternError.self) { try Pattern(example.pattern) }
    #expect(error?.offset == example.offset, "\(error.map(\.description) ?? "")")
    #expect(error?.code == example.code)
  }

  @Test func errorSaysWhatToDo() {
    let error = #expect(throws: PatternError.self) { try Pattern("a(?=b)") }
    #expect(
      error?.description
        == "\"(?\" is followed by \":\", by a name in \"<>\" or by flags of \"imsU\". "
        + "Security Rules have no lookahead and lookbehind. (at character 2 of the pattern)")
  }

  /// A pattern, a text, a replacement, and the emulator's result.
  typealias Replaced = (pattern: String, text: String, with: String, result: String)

  static let replacements: [Replaced] = [
    ("a", "abca", "$0x", "axbcax"), ("(a)(b)?", "abca", "$2-$1", "b-ac-a"), ("a", "abc", "$", "$bc"),
    ("a", "abc", "\\$", "$bc"), ("a", "abc", "\\", "\\bc"), ("a", "abc", "\\\\x", "\\xbc"),
    ("", "abc", "-", "-a-b-c-"),
    ("b*", "abbc", "-", "-a--c-"), ("(?P<n>a)", "abc", "${n}x", "axbc"), ("a", "abc", "$x", "$xbc"),
    ("(a)", "abc", "$10", "a0bc"), ("^a", "aaa", "-", "-aa"), ("$", "a\nb", "-", "a\nb-"),
    ("\\b", "ab cd", "|", "|ab| |cd|"),
    ("", "", "-", "-"), ("(?P<n>a)|b", "ab", "[${n}]", "[a][null]"), ("(?P<n>a)|b", "ab", "$1$", "a$$"),
    ("a", "b", "$9", "b"), ("(a)", "a", "$01", "a"), ("(a)", "a", "\\$1", "$1"),
    ("a|ab", "abab", "-", "-b-b"),
    ("ab|a", "abab", "-", "--"), ("a+?", "aa", "-", "--"), ("(?U)a+", "aa", "-", "--"),
    ("(a*)*", "b", "<$1>", "<>b<>"),
    ("(|a)*", "aa", "-", "-a-a-"), ("(a+|b)", "aab", "<$1>", "<aa><b>"),
  ]

  @Test(arguments: replacements)
  func replacesAllMatches(_ example: Replaced) throws {
    let pattern = try Pattern(example.pattern)
    #expect(try pattern.replacing(in: example.text, with: example.with) == example.result)
  }

  @Test(arguments: ["$1", "${n}", "${", "${a b}", "x${}"])
  func replacementWithoutItsGroupIsAnError(_ replacement: String) throws {
    let pattern = try Pattern("a")
    let error = #expect(throws: PatternError.self) { try pattern.replacing(in: "a", with: replacement) }
    #expect(error?.code == .unknownGroup)
    #expect(try pattern.replacing(in: "b", with: replacement) == "b")
  }

  @Test func replacementKeepsCharactersWhole() throws {
    // The emulator inserts the text within the surrogate pair, which isn't text any more.
    #expect(try Pattern("").replacing(in: "😀a", with: "-") == "-😀-a-")
    #expect(try Pattern("").split("😀a") == ["", "😀", "a"])
  }

  /// A pattern, a text, and the emulator's parts.
  typealias Split = (pattern: String, text: String, parts: [String])

  static let splits: [Split] = [
    (",", "a,b,,", ["a", "b"]), (",", ",a", ["", "a"]), (",", "a,,b", ["a", "", "b"]), (",", ",,,", [""]),
    ("", "abc", ["", "a", "b", "c"]),
    ("x", "", [""]), ("b*", "abbc", ["", "a", "", "c"]), ("(,)", "a,b", ["a", "b"]), ("$", "ab", ["ab"]),
    ("^", "ab", ["", "ab"]),
    ("\\b", "ab cd", ["", "ab", " ", "cd"]), (".", "abc", [""]), ("$", "a\n", ["a\n"]),
  ]

  @Test(arguments: splits)
  func splitsAtMatches(_ example: Split) throws {
    #expect(try Pattern(example.pattern).split(example.text) == example.parts)
  }

  /// Patterns on which backtracking takes exponential or quadratic time.
  @Test(arguments: [
    "(a*)*b", "(a|a)*b", "(a|aa)+$b", "(.*)(.*)(.*)b", "(?i)(\\pL|[a-z])*b", "^(([a-z])+.)+[A-Z]([a-z])+$",
  ])
  func timeIsLinear(_ pattern: String) throws {
    let pattern = try Pattern(pattern)
    let growth = try CPUTime.growth(from: 1_000, by: 16) { count in
      let matches = try pattern.matches(String(repeating: "a", count: count))
      #expect(!matches)
    }
    #expect(growth < CPUTime.limit(ofLinear: 16))
  }

  /// Without the limit, the first of these would take minutes, and the second one time that grows with the
  /// square of the text.
  @Test func expensiveTextIsAnError() throws {
    let text = String(repeating: "a", count: 2_000)
    var matcher = PatternMatcher(try Pattern("(a{0,100}){0,40}b").program, text, maximumSteps: 100_000)
    let error = #expect(throws: PatternError.self) { try matcher.matchesAll() }
    #expect(error?.code == .tooExpensive)
    var finder = PatternFinder(try Pattern("a(.*b)?").program, text, groups: false, maximumSteps: 100_000)
    let other = #expect(throws: PatternError.self) { while try finder.next() != nil {} }
    #expect(other?.code == .tooExpensive)
  }

  @Test func memoryOfGroupsIsLimited() throws {
    let groups = String(repeating: "()", count: 2_000)
    let error = #expect(throws: PatternError.self) { try Pattern(groups).replacing(in: "a", with: "$1999") }
    #expect(error?.code == .tooExpensive)
  }
}
