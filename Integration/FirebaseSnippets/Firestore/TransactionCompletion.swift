import Foundation
import TenonStore

/// Raises a number and hears of it in a closure.
func raiseWithCompletion() throws {
  let db = try Store.store()
  let harbour = db.collection("harbours").document("GOT")
  // expect: 'runTransaction(_:completion:)' is unavailable: The call is asynchronous, and the body throws: let result = try await store.runTransaction { transaction in let document = try await transaction.getDocument(reference) … }.
  db.runTransaction({ (transaction, errorPointer) -> Any? in
    let document: DocumentSnapshot
    do {
      // expect: expression is 'async' but is not marked with 'await'
      try document = transaction.getDocument(harbour)
    } catch let fetchError as NSError {
      errorPointer?.pointee = fetchError
      return nil
    }
    guard let berths = document.data()?["berths"] as? Int else {
      return nil
    }
    // expect: call can throw, but it is not marked with 'try' and the error is not handled
    transaction.updateData(["berths": berths + 1], forDocument: harbour)
    return berths + 1
  }) { (object, error) in
    if let error = error {
      print("failed: \(error)")
    } else {
      print("now \(object!)")
    }
  }
}
