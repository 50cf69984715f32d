import Foundation
import TenonStore

/// The object behind a view.
@MainActor
final class HarboursModel {
  var names: [String] = []
  private var listener: ListenerRegistration?

  func start() throws {
    listener = try Store.store().collection("harbours").order(by: "name")
      .addSnapshotListener { [weak self] snapshot, error in
        guard let documents = snapshot?.documents else {
          print(error?.localizedDescription ?? "")
          return
        }
        self?.names = documents.map { $0["name"] as? String ?? "" }
      }
  }

  func stop() {
    listener?.remove()
    listener = nil
  }
}
