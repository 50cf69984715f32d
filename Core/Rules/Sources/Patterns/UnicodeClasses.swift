/// The classes of `\p{…}`: general categories and scripts.
enum UnicodeClasses {
  /// Returns the characters of a class; `nil` if there is no class of this name.
  static func characters(named name: String) -> CharacterClass.Characters? {
    if name == "Any" { return .ranges([0...0x10FFFF]) }
    if let categories = categories[name] { return .categories(Set(categories)) }
    return UnicodeScripts.ranges(of: name).map { .ranges($0) }
  }

  private static let categories: [String: [Unicode.GeneralCategory]] = {
    var result: [String: [Unicode.GeneralCategory]] = [
      "Lu": [.uppercaseLetter], "Ll": [.lowercaseLetter], "Lt": [.titlecaseLetter], "Lm": [.modifierLetter],
      "Lo": [.otherLetter], "Mn": [.nonspacingMark], "Mc": [.spacingMark], "Me": [.enclosingMark],
      "Nd": [.decimalNumber], "Nl": [.letterNumber], "No": [.otherNumber], "Pc": [.connectorPunctuation],
      "Pd": [.dashPunctuation], "Ps": [.openPunctuation], "Pe": [.closePunctuation],
      "Pi": [.initialPunctuation], "Pf": [.finalPunctuation], "Po": [.otherPunctuation],
      "Sm": [.mathSymbol], "Sc": [.currencySymbol], "Sk": [.modifierSymbol], "So": [.otherSymbol],
      "Zs": [.spaceSeparator], "Zl": [.lineSeparator], "Zp": [.paragraphSeparator],
      "Cc": [.control], "Cf": [.format], "Cs": [.surrogate], "Co": [.privateUse],
    ]
    for (name, categories) in result { result[String(name.prefix(1)), default: []] += categories }
    return result
  }()
}
