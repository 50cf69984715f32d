import Foundation
import Observation
import TenonCore
import TenonTestSupport
import TenonTesting
import TenonTransportInterop
import Testing

let transport = FakeTransport { _ in HTTPResponse(status: 200) }
let request = HTTPRequest(.get, URL(string: "https://example.com")!)

@MainActor @Observable final class Note { var (title, rating) = ("Tea", 4) }
@MainActor let note = Note()
