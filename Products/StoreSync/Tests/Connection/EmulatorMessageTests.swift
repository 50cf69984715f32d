import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonStoreSync

/// Messages of Google's emulator about what it consists of, as they were sent.
@Suite(.limited) struct EmulatorMessageTests {
  @Test(
    arguments: [
      (
        "no entity to update: app: \"dev~demo\"\npath <\n  Element {\n    type: \"a\"\n    name: \"b c\"\n  }\n  Element {\n    type: \"sub\"\n    id: 7\n  }\n>\n",
        "There is no document a/b c/sub/7 to update."
      ),
      (
        "entity already exists: EntityRef{partitionRef=dev~demo-probe, path=/a/x}",
        "The document a/x exists already."
      ),
      (
        "the stored version (1795850427332268) does not match the required base version (1577836800000000)",
        "The document was changed or deleted since it was read."
      ),
      (
        "Cannot collapse mutations with different version preconditions (null and VersionPrecondition{exactBaseVersion=1, maxBaseVersion=null})",
        "The writes of a batch to one document have different conditions on its version. Write it once."
      ),
      (
        "Property n contains an invalid nested entity.",
        "The field \"n\" contains a value that is nested too deeply, or that isn't allowed there."
      ),
    ])
  func internalsAreReplaced(message: String, sentence: String) {
    let error = StoreRemoteError(.notFound, message).inTermsOfDocuments
    #expect(error.code == .notFound && error.message == sentence)
    #expect((error.underlying as? StoreRemoteError)?.message == message)
  }

  @Test(arguments: [
    "No document to update: projects/demo/databases/(default)/documents/a/none", "", "no entity",
    "no entity to update",
  ])
  func otherMessagesAreKept(message: String) {
    let error = StoreRemoteError(.notFound, message).inTermsOfDocuments
    #expect(error.message == (message == "no entity to update" ? "There is no document to update." : message))
  }
}
