import Foundation
import Observation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransportInterop
import Testing

let transport = FakeTransport { _ in TransportResponse(status: 200) }
let request = TransportRequest(.get, URL(string: "https://example.com")!)

@MainActor @Observable final class Note { var (title, rating) = ("Tea", 4) }
@MainActor let note = Note()
