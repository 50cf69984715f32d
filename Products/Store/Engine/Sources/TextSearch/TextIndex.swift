import TenonDocuments
public import TenonValues

/// An index of the words in some fields of a collection's documents, which ``QuerySource/search(_:)``
/// requires.
///
/// ```swift
/// StoreSettings(textIndexes: [
///   TextIndex("notes", "title", "body"), TextIndex("songs", "lyrics", tokenizer: .trigrams),
/// ])
/// ```
///
/// It contains the strings of the fields, also those in arrays and nested maps; values of other types aren't
/// searched. Each write updates it in the same transaction. It is built over existing documents in the
/// background, survives crashes, and is shared by the processes that use the database. The text isn't stored
/// a second time.
///
/// The index is SQLite's FTS5 (https://sqlite.org/fts5.html). Opening a database with a text index throws a
/// ``StoreError`` with ``StoreError/Code/unimplemented`` if the SQLite library of the system was compiled
/// without it.
public struct TextIndex: Sendable, Hashable {
  /// How text is divided into what a search compares.
  public enum Tokenizer: String, Sendable, Hashable, CaseIterable {
    /// Words, which are separated by spaces, punctuation and emoji. Case and diacritics are ignored: `cafe`
    /// finds "Café".
    case words
    /// Any part of a text, for languages that are written without spaces between words, such as Japanese,
    /// Chinese and Thai. Case is ignored. The index is several times larger than one of words. It requires
    /// SQLite 3.34.
    case trigrams
  }

  /// The ID of the collections.
  public let collectionID: String
  /// The fields that are searched.
  public let fields: [FieldPath]
  /// How text is divided.
  public let tokenizer: Tokenizer

  /// Creates the index of some fields of the collections with an ID, wherever they are.
  ///
  /// - Parameters:
  ///   - collectionID: the ID of the collections. There can be one text index for it.
  ///   - fields: 1 to 32 fields; dots in a literal separate the names of nested maps.
  ///   - tokenizer: how text is divided; into words, by default.
  public init(_ collectionID: String, _ fields: FieldPath..., tokenizer: Tokenizer = .words) {
    self.init(collectionID, fields: fields, tokenizer: tokenizer)
  }

  /// Creates the index of an array of fields; see ``init(_:_:tokenizer:)``.
  public init(_ collectionID: String, fields: [FieldPath], tokenizer: Tokenizer = .words) {
    self.collectionID = collectionID
    self.fields = fields
    self.tokenizer = tokenizer
  }

  /// Returns whether two indexes are the same. The IDs are compared by their bytes, as Firestore does.
  public static func == (left: TextIndex, right: TextIndex) -> Bool {
    UTF8Text.areEqual(left.collectionID, right.collectionID) && left.fields == right.fields
      && left.tokenizer == right.tokenizer
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UTF8Text(collectionID))
    hasher.combine(fields)
    hasher.combine(tokenizer)
  }

  /// Validates declarations.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument``.
  static func check(_ indexes: [TextIndex]) throws(StoreError) {
    var ids: Set<ResourcePath> = []
    for index in indexes {
      func refuse(_ reason: String) -> StoreError {
        StoreError(.invalidArgument, "The text index of \"\(index.collectionID)\" can't be built: \(reason).")
      }
      guard !index.collectionID.isEmpty, !index.collectionID.utf8.contains(UInt8(ascii: "/")) else {
        throw refuse("it needs a collection ID, which must not be empty or contain a slash")
      }
      guard ids.insert(ResourcePath(segments: [index.collectionID])).inserted else {
        throw refuse("there is another one; declare one index with the fields of both")
      }
      guard (1...32).contains(index.fields.count) else { throw refuse("it must have 1 to 32 fields") }
      guard Set(index.fields).count == index.fields.count else { throw refuse("it contains a field twice") }
      for field in index.fields {
        do { try field.check() } catch { throw refuse(error.message) }
        guard field != .documentID() else { throw refuse("the document ID has no text") }
      }
    }
  }
}
