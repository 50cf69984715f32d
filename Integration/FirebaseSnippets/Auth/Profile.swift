import Foundation
import TenonAuth

/// Changes the user's profile.
func changeProfile(photo: URL) async throws {
  let changeRequest = try Auth.auth().currentUser?.createProfileChangeRequest()
  changeRequest?.displayName = "Kim"
  changeRequest?.photoURL = photo
  try await changeRequest?.commitChanges()
}

/// Changes the user's profile, in a closure.
func changeProfileWithCompletion() throws {
  let changeRequest = try Auth.auth().currentUser?.createProfileChangeRequest()
  changeRequest?.displayName = "Kim"
  // expect: 'commitChanges(completion:)' is unavailable: The call is asynchronous: try await request.commitChanges(), in a Task { … } if need be.
  changeRequest?.commitChanges { error in
    print(error as Any)
  }
}
