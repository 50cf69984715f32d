import Foundation
import TenonCore
import TenonStorage

#if canImport(SwiftUI)
  import SwiftUI
#endif

let storage = try! Storage.storage()
let (photo, video) = (storage.reference(withPath: "photos/tea.jpg"), storage.reference(withPath: "tea.mp4"))
let file = URL(filePath: "/tmp/tea.mp4")
let (data, saved) = (Data(), Data())
func show(_ fraction: Double?) {}
func save(_ data: Data) throws {}
struct Player { func append(_ data: Data) {} }
let player = Player()
