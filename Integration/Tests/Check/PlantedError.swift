/// An error that is planted into the source of a library, and what a check must say about it.
struct PlantedError {
  /// The number of the error.
  let number: String
  /// The declarations, one per line.
  let code: [String]
  /// The lines of `code` that may be named, counted from 0. Of components in a cycle, each may be.
  let places: Set<Int>
  /// A part of the message that no other error has.
  let text: String

  init(_ number: String, _ code: [String], at places: Set<Int> = [0], says text: String) {
    self.number = number
    self.code = code
    self.places = places
    self.text = text
  }

  /// Returns one error of each kind that the declarations of a library can contain.
  ///
  /// - Parameter id: a prefix of all names, which is unique in the program.
  static func ofEveryKind(_ id: String) -> [PlantedError] {
    missing(id) + duplicates(id) + cycles(id) + names(id) + timings(id) + arguments(id)
  }

  /// Returns the declaration of a component.
  private static func part(_ name: String, needs: String? = nil, _ modifiers: String = "") -> String {
    let needs = needs.map { (", needs: \($0)", "_, _") } ?? ("", "_")
    return "Component(Part.self\(needs.0)) { \(needs.1) in Part() }.named(\"\(name)\")\(modifiers)"
  }

  private static func required(_ name: String) -> String { ".required(Part.self, named: \"\(name)\")" }

  private static func missing(_ id: String) -> [PlantedError] {
    [
      required("\(id)-absent1"), ".provider(Part.self, named: \"\(id)-absent2\")",
      ".factory(Part.self, taking: Int.self, named: \"\(id)-absent3\")",
    ].enumerated().map { index, need in
      PlantedError(
        "TENON-102", [part("\(id)-needy\(index)", needs: need)],
        says: "needs Part named \"\(id)-absent\(index + 1)\", which nothing provides")
    }
  }

  private static func duplicates(_ id: String) -> [PlantedError] {
    [
      PlantedError(
        "TENON-101", [part("\(id)-double"), part("\(id)-double")],
        says: "Part named \"\(id)-double\" is provided by 2 components"),
      PlantedError(
        "TENON-101",
        [part("\(id)-twice", ".providing(Part.self, named: \"\(id)-twice\") { $0 }")],
        says: "provides Part named \"\(id)-twice\" twice"),
      PlantedError(
        "TENON-101", [part("\(id)-taken"), part("\(id)-taker", ".alias(\"\(id)-taken\")")],
        says: "Part named \"\(id)-taken\" is provided by 2 components"),
    ]
  }

  private static func cycles(_ id: String) -> [PlantedError] {
    [
      PlantedError(
        "TENON-102", [part("\(id)-self", needs: required("\(id)-self"))], says: "Part named \"\(id)-self\""),
      PlantedError(
        "TENON-103",
        [
          part("\(id)-two1", needs: required("\(id)-two2")),
          part("\(id)-two2", needs: ".optional(Part.self, named: \"\(id)-two1\")"),
        ], at: [0, 1], says: "Part named \"\(id)-two1\""),
      PlantedError(
        "TENON-103",
        [
          part("\(id)-three1", needs: required("\(id)-three2")),
          part("\(id)-three2", needs: required("\(id)-three3")),
          part("\(id)-three3", needs: required("\(id)-three1")),
        ], at: [0, 1, 2], says: "Part named \"\(id)-three1\""),
      PlantedError(
        "TENON-103",
        [
          part(
            "\(id)-collector", needs: ".all(Part.self, named: \"\(id)-all\")",
            ".contributing(to: Part.self, named: \"\(id)-all\") { $0 }")
        ], says: "Part named \"\(id)-collector\""),
    ]
  }

  private static func names(_ id: String) -> [PlantedError] {
    [
      PlantedError(
        "TENON-105", [part("\(id) blank")], says: "Part named \"\(id) blank\" of"),
      PlantedError(
        "TENON-105", [part("\(id)-aliased", ".alias(\"\(id)/slash\")")],
        says: "Part named \"\(id)/slash\" of"),
      PlantedError(
        "TENON-105",
        [part("\(id)-giver", ".contributing(to: Part.self, named: \"\(id)+plus\") { $0 }")],
        says: "Part named \"\(id)+plus\" of"),
    ]
  }

  private static func timings(_ id: String) -> [PlantedError] {
    [
      ("eager", ".timing(.eager)", "is eager"), ("start", ".onStart { _ in }", "has an onStart action"),
      ("delete", ".onDelete { _ in }", "has an onDelete action"),
      ("reset", ".reset(.memoryPressure)", "is reset by an event"),
    ].map { name, modifier, text in
      PlantedError(
        "TENON-106", [part("\(id)-\(name)", ".scope(.unique)\(modifier)")],
        says: "Part named \"\(id)-\(name)\" of \(id.prefix { $0 != "-" }) 1.0.0 \(text)")
    }
  }

  private static func arguments(_ id: String) -> [PlantedError] {
    func taking(_ name: String, _ modifiers: String = "") -> String {
      "Component(Part.self, arguments: Int.self) { _, _ in Part() }.named(\"\(id)-\(name)\")\(modifiers)"
    }
    return [
      PlantedError(
        "TENON-107", [taking("kept", ".scope(.shared)")], says: "Part named \"\(id)-kept\" of"),
      PlantedError(
        "TENON-107",
        [taking("given", ".contributing(to: Part.self, named: \"\(id)-given-all\") { $0 }")],
        says: "Part named \"\(id)-given\" of"),
      PlantedError(
        "TENON-107",
        [
          taking("taker1"),
          part("\(id)-wrong", needs: ".factory(Part.self, taking: String.self, named: \"\(id)-taker1\")"),
        ], at: [1], says: "Part named \"\(id)-wrong\" of"),
    ]
  }

  /// Declarations like the planted ones, in which nothing is wrong.
  static func nothingWrong(_ id: String) -> [String] {
    [
      part("\(id)-ok1", needs: ".optional(Part.self, named: \"\(id)-nobody\")"),
      part("\(id)-ok2", needs: ".provider(Part.self, named: \"\(id)-ok3\")"),
      part("\(id)-ok3", needs: required("\(id)-ok2"), ".automaticAliases().timing(.eager)"),
      part("\(id)-ok4", needs: ".deferred(Part.self, named: \"\(id)-later\")"),
      part("\(id)-ok5", needs: ".all(Part.self, named: \"\(id)-ok\")"),
      part("\(id)-ok6", ".contributing(to: Part.self, named: \"\(id)-ok\") { $0 }.scope(.weak)"),
      part("\(id)-ok7", needs: ".allProvider(Part.self, named: \"\(id)-empty\")", ".scope(.unique)"),
      "Component(Part.self, arguments: Int.self, String?.self) { _, _, _ in Part() }.named(\"\(id)-ok8\")",
      part("\(id)-ok9", needs: ".factory(Part.self, taking: Int.self, named: \"\(id)-ok8\")"),
      part("\(id)-ok0", ".alias(\"\(id)-okay\").onStart { _ in }.onDelete { _ in }.reset(.memoryPressure)"),
      "Component.onMainActor(Part.self) { _ in Part() }.named(\"\(id)-screen\")",
    ]
  }
}
