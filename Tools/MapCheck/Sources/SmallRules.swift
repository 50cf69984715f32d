/// `@unchecked Sendable` stands only in the named corners, each with its proof beside it.
enum UncheckedRule {
  private static let corners = [
    "Core/Components/Sources/Concurrency/Lock.swift",
    "Core/Components/Sources/Container/SharedInstances.swift",
  ]

  static func findings(_ source: SourceFile) -> [Finding] {
    guard !corners.contains(source.path) else { return [] }
    return source.code.matches(of: /@unchecked\s+Sendable|nonisolated\(unsafe\)/).map {
      source.finding(at: $0.range.lowerBound, "\($0.0) outside the corners that UncheckedRule lists")
    }
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
