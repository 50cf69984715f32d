@testable import TenonStore

/// The contents of a document of the model: two numbers and an array, each of which may be absent.
struct ModelContents: Hashable {
  var s: Int?
  var n: Int?
  var a: [Int]?

  /// The contents as Store knows them.
  var fields: Fields {
    var fields = Fields()
    fields["s"] = s.map { .integer(Int64($0)) }
    fields["n"] = n.map { .integer(Int64($0)) }
    fields["a"] = a.map { .array($0.map { .integer(Int64($0)) }) }
    return fields
  }
}

/// A write to one document.
struct ModelChange: CustomStringConvertible {
  enum Kind {
    /// Replaces the document.
    case set(s: Int, n: Int?)
    /// Sets the field `s`, and creates the document if it doesn't exist.
    case merge(Int)
    /// Sets the field `s` of a document that must exist.
    case update(Int)
    /// Creates a document that must not exist.
    case create(Int)
    case delete
    /// Adds to the field `n`.
    case increment(Int)
    /// Adds an element to the field `a`, unless it contains it.
    case union(Int)
    /// Removes an element from the field `a`.
    case remove(Int)
  }

  var document: Int
  var kind: Kind

  /// Whether the document must exist; `nil` if it may or may not.
  var requiredExistence: Bool? {
    switch kind {
    case .update: true
    case .create: false
    default: nil
    }
  }

  /// The error of a write whose document doesn't exist although it must, or the other way round.
  var error: StoreError.Code { requiredExistence == true ? .notFound : .alreadyExists }

  /// Returns the contents after the write; `nil` if the document doesn't exist then.
  ///
  /// - Parameters:
  ///   - old: the contents before.
  ///   - number: the value to which an increment of an existing document adds; `nil` to add to the present
  ///     one.
  func result(on old: ModelContents?, addingTo number: Int? = nil) -> ModelContents? {
    var new = old ?? ModelContents()
    switch kind {
    case .set(let s, let n): return ModelContents(s: s, n: n)
    case .create(let s): return ModelContents(s: s)
    case .delete: return nil
    case .merge(let s), .update(let s): new.s = s
    case .increment(let step): new.n = (old == nil ? 0 : number ?? old?.n ?? 0) + step
    case .union(let element):
      new.a = (new.a ?? []) + ((new.a ?? []).contains(element) ? [] : [element])
    case .remove(let element): new.a = (new.a ?? []).filter { $0 != element }
    }
    return new
  }

  /// The ID of the document.
  var id: String { Self.id(document) }
  static func id(_ document: Int) -> String { ["a", "b", "c", "d"][document] }
  static func path(_ document: Int) -> ResourcePath { ResourcePath(segments: ["m", id(document)]) }
  static let documents = 0..<4

  /// The write as an app makes it.
  var write: DocumentWrite {
    let path = Self.path(document)
    func transforming(_ field: FieldPath, _ kind: FieldTransform.Kind) -> DocumentWrite {
      DocumentWrite(path, .update(Fields(), mask: []), transforms: [FieldTransform(field, kind)])
    }
    func number(_ value: Int) -> Value { .integer(Int64(value)) }
    switch kind {
    case .set, .create:
      return DocumentWrite(
        path, .set(result(on: nil)?.fields ?? Fields()),
        precondition: requiredExistence.map { .exists($0) })
    case .merge(let s): return DocumentWrite(path, .update(["s": number(s)], mask: ["s"]))
    case .update(let s):
      return DocumentWrite(path, .update(["s": number(s)], mask: ["s"]), precondition: .exists(true))
    case .delete: return DocumentWrite(path, .delete)
    case .increment(let step): return transforming("n", .increment(number(step)))
    case .union(let element): return transforming("a", .union([number(element)]))
    case .remove(let element): return transforming("a", .remove([number(element)]))
    }
  }

  var description: String {
    switch kind {
    case .set(let s, let n): "\(id).set(s: \(s)\(n.map { ", n: \($0)" } ?? ""))"
    case .merge(let s): "\(id).merge(s: \(s))"
    case .update(let s): "\(id).update(s: \(s))"
    case .create(let s): "\(id).create(s: \(s))"
    case .delete: "\(id).delete"
    case .increment(let step): "\(id).increment(\(step))"
    case .union(let element): "\(id).union(\(element))"
    case .remove(let element): "\(id).remove(\(element))"
    }
  }
}
