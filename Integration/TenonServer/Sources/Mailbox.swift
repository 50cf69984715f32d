import TenonEmbedded
import TenonFoundation

/// Prints what Firebase would send by email and text message, on standard error.
enum Mailbox {
  /// Prints the messages of a backend from now on.
  static func open(for embedded: Embedded) {
    embedded.onAccountCode { StandardError.print(text(of: $0)) }
    embedded.onPhoneCode {
      StandardError.print("To verify the phone number \($0.phoneNumber), use the code \($0.code).")
    }
  }

  private static func text(of code: AccountCode) -> String {
    let purpose =
      switch code.kind {
      case .passwordReset: "To reset the password of \(code.email)"
      case .verifyEmail: "To verify the email address \(code.email)"
      case .emailSignIn: "To sign in as \(code.email)"
      case .verifyAndChangeEmail:
        "To change the email address \(code.email) to \(code.newEmail ?? "another one")"
      case .recoverEmail: "To undo the change of the email address \(code.email)"
      default: "For \(code.email) (\(code.kind.rawValue))"
      }
    return "\(purpose), follow this link: \(code.link.absoluteString)"
  }
}
