import Foundation
import TenonStore

/// Raises a number, with the closure that takes an error pointer.
func raise() async throws {
  let db = try Store.store()
  let harbour = db.collection("harbours").document("GOT")
  do {
    // expect: 'runTransaction' is unavailable: The body takes no error pointer, it throws: try await store.runTransaction { transaction in let document = try await transaction.getDocument(reference) … }.
    _ = try await db.runTransaction({ (transaction, errorPointer) -> Any? in
      let document: DocumentSnapshot
      do {
        // expect: expression is 'async' but is not marked with 'await'
        try document = transaction.getDocument(harbour)
      } catch let fetchError as NSError {
        errorPointer?.pointee = fetchError
        return nil
      }
      guard let berths = document.data()?["berths"] as? Int else {
        errorPointer?.pointee = NSError(domain: "Harbours", code: -1)
        return nil
      }
      // expect: call can throw, but it is not marked with 'try' and the error is not handled
      transaction.updateData(["berths": berths + 1], forDocument: harbour)
      return nil
    })
    print("done")
  } catch {
    print("failed: \(error)")
  }
}
