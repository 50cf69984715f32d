import Foundation
import TenonSQLite
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

/// The number of names that a page reads.
@Suite(.limited) struct ListingTests {
  /// A database of 200,000 objects in four folders, of which one has names that aren't listed.
  private static func database() async throws -> EmbeddedDatabase {
    let database = EmbeddedDatabase(directory: nil, projectID: "demo") {
      Timestamp(millisecondsSince1970: 1_700_000_000_000)
    }
    try await database.transaction { database in
      try database.opened().run(
        """
        WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 49999)
        INSERT INTO objects (bucket, name, content, record)
        SELECT 'demo', folder || printf('%06d', n), 0, x'' FROM numbers,
          (SELECT 'a/' AS folder UNION SELECT 'b/c/' UNION SELECT 'd//' UNION SELECT 'e')
        """)
    }
    return database
  }

  private func page(
    _ database: EmbeddedDatabase, prefix: String = "", delimiter: String = "", start: String = "",
    limit: Int = 1_000,
    hides: Bool = true
  ) async throws -> ObjectListing.Page {
    let listing = ObjectListing(
      bucket: "demo", prefix: prefix, delimiter: delimiter, start: start, limit: limit,
      hidesEmptySegments: hides)
    return try await database.read { try listing.page(from: $0) }
  }

  @Test func aPageReadsNoMoreNamesThanItReturns() async throws {
    let database = try await Self.database()
    let root = try await page(database, delimiter: "/", limit: 3)
    #expect(root.prefixes == ["a/", "b/", "d/"] && root.names.isEmpty && root.next == "e000000")
    #expect(root.visited == 4)
    let folder = try await page(database, prefix: "b/", delimiter: "/")
    #expect(folder.prefixes == ["b/c/"] && folder.next == nil && folder.visited == 2)
    let items = try await page(database, prefix: "b/c/", delimiter: "/", start: "b/c/025000", limit: 10)
    #expect(items.names.first == "b/c/025000" && items.names.count == 10 && items.next == "b/c/025010")
    #expect(items.visited == 11)
    let whole = try await page(database, limit: 1_000)
    #expect(whole.names.count == 1_000 && whole.visited == 1_001)
    // The 50,000 hidden names cost one.
    let behind = try await page(database, start: "b/c/049999", limit: 2)
    #expect(behind.names == ["b/c/049999", "e000000"] && behind.visited == 4)
    let hidden = try await page(database, prefix: "d/")
    #expect(hidden.names.isEmpty && hidden.next == nil && hidden.visited == 2)
    let shown = try await page(database, prefix: "d/", limit: 1, hides: false)
    #expect(shown.names == ["d//000000"] && shown.visited == 2)
  }

  /// One search in an index that has all columns of the query, without sorting.
  @Test func aPageSearchesAnIndex() async throws {
    let database = try await Self.database()
    let plan = try await database.read { database in
      try database.opened().rows(
        "EXPLAIN QUERY PLAN " + EmbeddedDatabase.namesQuery, [.text("demo"), .text("b")]
      ) { row in row.text(3) }
    }
    #expect(plan.count == 1)
    #expect(plan.first?.hasPrefix("SEARCH objects USING COVERING INDEX") == true, "\(plan)")
    #expect(plan.first?.contains("bucket=? AND name>?") == true, "\(plan)")
  }

  @Test(arguments: ["", "a", "a/", "b/c/049999", "zzz", "\u{10FFFF}"])
  func aStartOutsideThePrefixIsHarmless(start: String) async throws {
    let database = try await Self.database()
    let page = try await page(database, prefix: "b/", delimiter: "/", start: start)
    #expect(page.prefixes == (start <= "b/c/049999" ? ["b/c/"] : []))
    #expect(page.names.isEmpty && page.next == nil)
  }
}
