import Foundation
import TenonAuth

/// Sends a link that signs in, and opens it.
func emailLink(email: String, link: String) async throws {
  let settings = ActionCodeSettings()
  // expect: cannot assign to property: 'settings' is a 'let' constant
  settings.url = URL(string: "https://harbour.example/finish")
  // expect: cannot assign to property: 'settings' is a 'let' constant
  settings.handleCodeInApp = true
  // expect: cannot use mutating member on immutable value: 'settings' is a 'let' constant
  settings.setIOSBundleID("com.example.harbour")
  // expect: cannot use mutating member on immutable value: 'settings' is a 'let' constant
  settings.setAndroidPackageName("com.example.harbour", installIfNotAvailable: false, minimumVersion: "12")
  try await Auth.auth().sendSignInLink(toEmail: email, actionCodeSettings: settings)
  if try Auth.auth().isSignIn(withEmailLink: link) {
    let result = try await Auth.auth().signIn(withEmail: email, link: link)
    print(result.user.uid)
  }
  let credential = EmailAuthProvider.credential(withEmail: email, link: link)
  _ = try await Auth.auth().currentUser?.link(with: credential)
}

/// Sends a link that signs in, in a closure.
func emailLinkWithCompletion(email: String, settings: ActionCodeSettings, link: String) throws {
  // expect: 'sendSignInLink(toEmail:actionCodeSettings:completion:)' is unavailable: The call is asynchronous: try await auth.sendSignInLink(toEmail: …, actionCodeSettings: …), in a Task { … } if need be.
  try Auth.auth().sendSignInLink(toEmail: email, actionCodeSettings: settings) { error in
    print(error as Any)
  }
  // expect: 'signIn(withEmail:link:completion:)' is unavailable: The call is asynchronous: try await auth.signIn(withEmail: …, link: …), in a Task { … } if need be.
  try Auth.auth().signIn(withEmail: email, link: link) { user, error in
    print(user as Any, error as Any)
  }
}
