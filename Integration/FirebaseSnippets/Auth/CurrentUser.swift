import TenonAuth

/// Reads the user's profile.
func currentUser() throws {
  guard let user = try Auth.auth().currentUser else {
    return
  }
  print(user.uid, user.email ?? "", user.photoURL as Any, user.displayName ?? "", user.isEmailVerified)
  for info in user.providerData {
    print(info.providerID, info.uid, info.displayName ?? "", info.email ?? "")
  }
  print(user.metadata.creationDate as Any, user.metadata.lastSignInDate as Any)
  print(user.phoneNumber ?? "", user.multiFactor.enrolledFactors.count)
}
