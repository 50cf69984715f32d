import TenonTransport

/// The range of names that a page of a list covers.
struct ObjectListing: Sendable {
  /// A version of an object.
  struct Item: Sendable, Hashable {
    /// The name of the object.
    let name: String
    /// The generation; `Int64.max` for the live object.
    let generation: Int64
  }

  /// A page of a list.
  struct Page: Sendable, Hashable {
    /// The objects.
    var items: [Item] = []
    /// The common prefixes, each with its delimiter.
    var prefixes: [String] = []
    /// The name with which the next page begins; `nil` if this is the last page.
    var next: String?
    /// The generation of that name with which it begins.
    var nextGeneration: Int64 = 0
    /// The number of names that were read from the database.
    var visited = 0

    /// The names of the objects.
    var names: [String] { items.map(\.name) }
  }

  /// The greatest number of names that a page compares with a pattern. A page with fewer items may follow.
  static let mostCompared = 10_000
  /// The same for the work of the comparisons, in steps of the pattern by bytes of the names.
  static let mostWork = 10_000_000

  /// What a name contributes to a page.
  private enum Entry {
    /// The name and all that follow are behind the end of the list.
    case end
    /// The object itself.
    case item
    /// The common prefix of this and further names.
    case common(String)
    /// Nothing, as all names that begin with a text, or only this one.
    case hidden(behind: String?)
  }

  /// The bucket.
  let bucket: String
  /// The prefix of all names.
  let prefix: String
  /// The text by which names are grouped; empty for no grouping.
  let delimiter: String
  /// The name with which the page begins, inclusive.
  let start: String
  /// The generation of that name with which it begins.
  var startGeneration: Int64 = 0
  /// Which objects the list has.
  var scope = ObjectScope.live
  /// The pattern that names must match; `nil` for all names.
  var glob: ObjectGlob?
  /// The name before which the list ends; `nil` if it has no end.
  var end: String?
  /// The greatest number of items and prefixes, together.
  let limit: Int
  /// Whether to omit names with empty path segments and the name that is the prefix itself, which the paths
  /// of `firebasestorage` can't address.
  var hidesEmptySegments = true
  /// Whether a name that ends with its first delimiter is an item as well.
  var includesTrailingDelimiter = false

  /// Returns the page. Names behind a common prefix, and those that are hidden together, are skipped without
  /// reading them.
  ///
  /// - Complexity: O(*k* log *n*), where *k* is the number of items and prefixes and *n* the number of
  ///   objects.
  func page(from database: isolated EmbeddedDatabase) throws -> Page {
    var page = Page()
    var work = 0
    var from: String? = start.utf8.lexicographicallyPrecedes(prefix.utf8) ? prefix : start
    while let present = from {
      from = nil
      try database.forEachObjectName(in: bucket, from: present, scope) { name in
        guard glob == nil || (page.visited < Self.mostCompared && work < Self.mostWork) else {
          page.next = name
          return false
        }
        work += glob?.work(name) ?? 0
        page.visited += 1
        let entry = entry(name)
        switch entry {
        case .end: return false
        case .hidden(behind: nil): return true
        case .hidden(let text?):
          from = Self.successor(of: text)
          return false
        case .item, .common: break
        }
        guard page.items.count + page.prefixes.count < limit else {
          page.next = name
          return false
        }
        guard case .common(let common) = entry else {
          return try add(name, to: &page, from: database)
        }
        page.prefixes.append(common)
        if includesTrailingDelimiter, name == common, try !add(name, to: &page, from: database) {
          return false
        }
        from = Self.successor(of: common)
        return false
      }
    }
    return page
  }

  /// Adds the versions of a name to a page, as far as there is room, but at least one.
  ///
  /// - Returns: whether the page has all of them.
  private func add(_ name: String, to page: inout Page, from database: isolated EmbeddedDatabase) throws
    -> Bool
  {
    // One more than the page has room for is the beginning of the next page.
    let room = max(limit - page.items.count - page.prefixes.count, 1)
    let generations = try database.generations(
      of: name, in: bucket, scope, from: name == start ? startGeneration : 0, limit: room + 1)
    // Checked: there is room for one at least.
    page.items += generations.prefix(room).map { Item(name: name, generation: $0) }
    guard generations.count > room else { return true }
    page.next = name
    page.nextGeneration = generations[room]
    return false
  }

  /// Returns what a name contributes.
  private func entry(_ name: String) -> Entry {
    guard name.utf8.starts(with: prefix.utf8) else { return .end }
    if let end, !name.utf8.lexicographicallyPrecedes(end.utf8) { return .end }
    if let glob, !glob.matches(name) { return .hidden(behind: nil) }
    let rest = Substring(name.utf8.dropFirst(prefix.utf8.count))
    if hidesEmptySegments {
      if rest.isEmpty { return .hidden(behind: nil) }
      if rest.utf8.first == UInt8(ascii: "/") { return .hidden(behind: prefix + "/") }
    }
    if !delimiter.isEmpty, let end = rest.utf8.firstRange(of: delimiter.utf8) {
      return .common(String(name[..<end.upperBound]))
    }
    if hidesEmptySegments, let empty = rest.utf8.firstRange(of: "//".utf8) {
      return .hidden(behind: String(name[..<empty.upperBound]))
    }
    return .item
  }

  /// Returns the first text after all those that begin with a prefix, in the order of UTF-8 bytes; `nil` if
  /// there is none.
  static func successor(of prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      if let next = Unicode.Scalar(last.value + 1) ?? (last.value == 0xD7FF ? Unicode.Scalar(0xE000) : nil) {
        scalars.append(next)
        return scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
      }
    }
    return nil
  }
}
