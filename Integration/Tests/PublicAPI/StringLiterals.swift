/// The string literals of a Swift source.
struct StringLiterals {
  /// The literals as they are written, with `…` instead of each interpolation.
  private(set) var texts: [String] = []
  private let source: [UInt8]
  private var place = 0

  init(of source: String) {
    self.source = Array(source.utf8)
    readCode()
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    place + offset < source.count ? source[place + offset] : nil
  }

  private func isNext(_ letter: Unicode.Scalar, _ offset: Int = 0) -> Bool {
    byte(offset) == UInt8(ascii: letter)
  }

  /// Reads code up to the end of the source or, in an interpolation, to the parenthesis that closes it.
  private mutating func readCode(inInterpolation: Bool = false) {
    var depth = 0
    while let next = byte() {
      switch next {
      case UInt8(ascii: "/") where isNext("/", 1):
        while byte() != nil, !isNext("\n") { place += 1 }
      case UInt8(ascii: "/") where isNext("*", 1):
        while byte() != nil, !(isNext("*") && isNext("/", 1)) { place += 1 }
      case UInt8(ascii: "#") where isNext("\"", 1) || (isNext("#", 1) && isNext("\"", 2)): readLiteral()
      case UInt8(ascii: "\""): readLiteral()
      case UInt8(ascii: "("):
        depth += 1
        place += 1
      case UInt8(ascii: ")"):
        depth -= 1
        place += 1
        if inInterpolation, depth < 0 { return }
      default: place += 1
      }
    }
  }

  private mutating func readLiteral() {
    var (hashes, quotes) = (0, 1)
    while isNext("#") {
      hashes += 1
      place += 1
    }
    if isNext("\"", 1), isNext("\"", 2) { quotes = 3 }
    place += quotes
    var text: [UInt8] = []
    while let next = byte(), !isEnd(quotes, hashes) {
      // A quote that begins no literal, for example in a regular expression, ends with its line.
      if quotes == 1, isNext("\n") { return }
      if isNext("\\"), (1..<(1 + hashes)).allSatisfy({ isNext("#", $0) }) {
        if isNext("(", 1 + hashes) {
          place += hashes + 2
          readCode(inInterpolation: true)
          text += Array("…".utf8)
          continue
        }
        text.append(next)
        place += 1
        guard hashes == 0, let escaped = byte() else { continue }
        text.append(escaped)
      } else {
        text.append(next)
      }
      place += 1
    }
    place += quotes + hashes
    texts.append(String(decoding: text, as: UTF8.self))
  }

  /// Whether a literal with this number of quotes and hashes ends here.
  private func isEnd(_ quotes: Int, _ hashes: Int) -> Bool {
    guard isNext("\"") else { return false }
    return (0..<quotes).allSatisfy { isNext("\"", $0) }
      && (quotes..<(quotes + hashes)).allSatisfy { isNext("#", $0) }
  }
}
