import Foundation
import TenonAuth

/// Looks at the code of an error.
func authErrors(email: String, password: String) async {
  do {
    _ = try await Auth.auth().signIn(withEmail: email, password: password)
  } catch let error as NSError {
    // expect: 'AuthErrorCode' has been renamed to 'AuthError.Code': An error is an AuthError, whose code is an AuthError.Code: (error as? AuthError)?.code == .wrongPassword.
    // expect: 'init(rawValue:)' is unavailable: Codes have no numbers: (error as? AuthError)?.code == .wrongPassword.
    switch AuthErrorCode(rawValue: error.code) {
    case .wrongPassword: print("wrong")
    case .userNotFound: print("nobody")
    case .invalidCredential: print("wrong or nobody")
    case .networkError: print("offline")
    default: print(error.localizedDescription)
    }
  }
}

/// Looks at the code of an error, typed.
func authErrorsTyped(error: Error) {
  // expect: cast from 'any Error' to unrelated type 'AuthErrorCode' (aka 'AuthError.Code') always fails
  // expect: 'AuthErrorCode' has been renamed to 'AuthError.Code': An error is an AuthError, whose code is an AuthError.Code: (error as? AuthError)?.code == .wrongPassword.
  if let error = error as? AuthErrorCode {
    // expect: 'code' is unavailable: The code is that of the error: (error as? AuthError)?.code.
    print(error.code == .emailAlreadyInUse)
  }
}
