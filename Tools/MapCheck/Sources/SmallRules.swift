/// The rule for code that the compiler cannot check: it is allowed only in the listed files, each line with its justification.
enum UncheckedRule {
  /// The file in which all unchecked code is allowed.
  private static let lock = "Core/Components/Sources/Concurrency/Lock.swift"
  /// The file in which a subscriber of Combine, whose threads the compiler doesn't know, is passed to a task.
  private static let subscriber = "Products/StoreCombine/Sources/SubscriberReceiver.swift"
  /// The files in which unsafe pointers are allowed.
  private static let sharedInstances: Set = [
    "Core/Components/Sources/Injection/OnceInstance.swift",
    "Core/Components/Sources/SharedInstances/NamedSlotTable.swift",
    "Core/Components/Sources/SharedInstances/SharedInstances.swift",
    "Core/Components/Sources/SharedInstances/SlotTable.swift",
  ]

  /// Returns the violations in a file.
  static func findings(_ source: SourceFile) -> [Finding] {
    guard source.path != lock, source.path != subscriber else { return [] }
    let unchecked = source.code.matches(of: /@unchecked\s+Sendable|nonisolated\(unsafe\)/)
    return (unchecked + unsafeLines(source)).map {
      source.finding(at: $0.range.lowerBound, "\($0.0) outside the corners that UncheckedRule lists")
    }
  }

  /// Returns the uses of unsafe memory in Core's components outside ``sharedInstances``, the files in which instances are looked up
  /// without a lock. Products interact with C and may need pointers for that.
  private static func unsafeLines(_ source: SourceFile) -> [Regex<Substring>.Match] {
    guard source.path.hasPrefix("Core/Components/Sources/"), !sharedInstances.contains(source.path) else {
      return []
    }
    return source.code.matches(
      of:
        /\bUnmanaged\b|\bunsafeDowncast\b|\bunsafeBitCast\b|\bUnsafe\w*Pointer\b|\w*[uU]nsafe\w*Ref\b|unowned\(unsafe\)/
    )
  }
}

/// The rule that only TenonJSON parses JSON: it limits the size and the depth, which Foundation's decoders don't.
enum JSONRule {
  /// Returns the uses of Foundation's decoders in the sources of Core and the products.
  static func findings(_ source: SourceFile) -> [Finding] {
    let parts = source.path.split(separator: "/")
    guard parts.count > 3, parts[2] == "Sources" else { return [] }
    return source.code.matches(of: /\b(JSONDecoder|JSONSerialization)\b/).map {
      source.finding(at: $0.range.lowerBound, "\($0.0) has no limits; use JSON.decode of TenonJSON")
    }
  }
}

/// The rule that every product registers itself, in a file named `Registration.swift`.
enum RegistrationRule {
  /// The products that provide no component, because they extend the functions of another one.
  private static let withoutComponents: Set = ["StoreCombine"]

  /// Returns a violation for each product without that file.
  static func findings(_ paths: [String]) -> [Finding] {
    let products = Set(
      paths.compactMap { path -> String? in
        let parts = path.split(separator: "/")
        return parts.first == "Products" && parts.count > 3 ? String(parts[1]) : nil
      }
    )
    return products.subtracting(withoutComponents).sorted().compactMap { product in
      let path = "Products/\(product)/Sources/Registration.swift"
      return paths.contains(path)
        ? nil : Finding(path: path, line: 1, message: "the product \(product) doesn't register itself")
    }
  }
}
