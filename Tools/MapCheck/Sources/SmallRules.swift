/// What the compiler can't check stands only in the named corners, each line with its proof beside it.
enum UncheckedRule {
  private static let lock = "Core/Components/Sources/Concurrency/Lock.swift"
  private static let sharedInstances: Set = [
    "Core/Components/Sources/Injection/OnceInstance.swift",
    "Core/Components/Sources/SharedInstances/NamedSlotTable.swift",
    "Core/Components/Sources/SharedInstances/SharedInstances.swift",
    "Core/Components/Sources/SharedInstances/SlotTable.swift",
  ]

  static func findings(_ source: SourceFile) -> [Finding] {
    guard source.path != lock else { return [] }
    let unchecked = source.code.matches(of: /@unchecked\s+Sendable|nonisolated\(unsafe\)/)
    return (unchecked + unsafeLines(source)).map {
      source.finding(at: $0.range.lowerBound, "\($0.0) outside the corners that UncheckedRule lists")
    }
  }

  /// Core keeps its unsafe lines where shared instances are found without a lock. Products meet C, and may need pointers for
  /// that.
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

/// Every product registers itself, in a file of that name.
enum RegistrationRule {
  static func findings(_ paths: [String]) -> [Finding] {
    let products = Set(
      paths.compactMap { path -> String? in
        let parts = path.split(separator: "/")
        return parts.first == "Products" && parts.count > 3 ? String(parts[1]) : nil
      }
    )
    return products.sorted().compactMap { product in
      let path = "Products/\(product)/Sources/Registration.swift"
      return paths.contains(path)
        ? nil : Finding(path: path, line: 1, message: "the product \(product) doesn't register itself")
    }
  }
}
