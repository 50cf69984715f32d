import Foundation
import TenonDocuments
import TenonFoundation
import TenonStore
import TenonStoreInterop

/// The result of a call, or its error, of which only the code is compared.
enum Outcome<Result: Equatable>: Equatable {
  case result(Result)
  case failure(String, message: String)

  init(_ body: () async throws -> Result) async {
    do {
      self = .result(try await body())
    } catch let error as StoreError {
      let code = error.code.rawValue.uppercased().split(separator: "-").joined(separator: "_")
      self = .failure(code, message: error.message)
    } catch let error as StoreRemoteError {
      self = .failure(error.code.status.name, message: error.message)
    } catch let error as FirestoreREST.Failure {
      self = .failure(error.status, message: error.message)
    } catch {
      self = .failure("\(type(of: error))", message: "\(error)")
    }
  }

  /// Returns whether a difference is known: an error of the emulator, or a limit that doesn't apply to a
  /// database with an index for each field.
  func isKnownToDiffer(from there: Outcome) -> Bool {
    switch (self, there) {
    // The emulator ignores a repeated condition, and returns nothing for some queries with a limit of 0,
    // which the protocol (`StructuredQuery.limit`) permits and Store, like Firestore's SDKs, refuses.
    case (.failure(_, let message), .result):
      message.contains("one array-contains or array-contains-any")
        || message.contains("limit is at least 1, not 0")
    // The emulator's indexes don't support these queries; production requires a composite index.
    case (.result, .failure(_, let message)):
      message.contains("does not currently support such an index")
        || message.contains("does not support descending key scans")
    // The query has several errors, and the emulator reports this one first.
    case (.failure, .failure(_, let message)): message.contains("does not support descending key scans")
    default: false
    }
  }

  static func == (left: Outcome, right: Outcome) -> Bool {
    switch (left, right) {
    case (.result(let left), .result(let right)): left == right
    case (.failure(let left, _), .failure(let right, _)): left == right
    default: false
    }
  }
}

extension Outcome where Result == Bool {
  init(_ body: () async throws -> Void) async {
    await self.init {
      try await body()
      return true
    }
  }
}

extension Value {
  /// Returns a number without its last digits, which depend on the order in which doubles are added.
  var rounded: Value {
    guard case .double(let number) = self, number.isFinite, number != 0 else { return self }
    return .double(Double(String(format: "%.12g", number)) ?? number)
  }

  /// Returns a value without what the emulator's JSON loses: the sign of zero.
  var comparable: Value {
    switch self {
    case .double(let number): .double(number == 0 ? 0 : number)
    case .array(let elements): .array(elements.map(\.comparable))
    case .vector(let numbers): .vector(numbers.map { $0 == 0 ? 0 : $0 })
    case .map(let fields): .map(fields.comparable)
    default: self
    }
  }
}

extension Fields {
  var comparable: Fields {
    Fields(unsorted: entries.map { Fields.Entry(name: $0.name, value: $0.value.comparable) })
  }
}
