package import Foundation

/// A file to import.
package struct FoundFile: Sendable, Equatable {
  package enum Kind: Sendable {
    case note
    /// An image, a document or any other file that notes show or link to.
    case attachment
  }

  /// The path relative to the folder, with slashes.
  package let path: String
  package let url: URL
  package let kind: Kind
}

/// The files below a folder, in the order of their paths. Hidden files and folders and symbolic links are
/// left out. Only one folder at a time is held in memory.
package struct FolderWalk: Sequence, IteratorProtocol {
  private static let notes: Set<String> = ["md", "markdown"]
  private static let attachments: Set<String> = [
    "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "bmp", "pdf", "mp3", "mp4", "mov", "webm", "csv",
    "txt",
  ]

  private struct Entry {
    let path: String
    let url: URL
    let isFolder: Bool
  }

  /// The remaining items, the last one first.
  private var pending: [Entry] = []
  /// The folders and files that couldn't be read so far, in printable form, with the reason.
  package private(set) var failures: [(path: String, reason: String)] = []

  /// - Throws: ``UnreadableDirectory`` if the folder itself can't be read.
  package init(_ folder: URL) throws {
    try push(folder, below: "")
  }

  package mutating func next() -> FoundFile? {
    while let entry = pending.popLast() {
      if entry.isFolder {
        do { try push(entry.url, below: entry.path + "/") } catch {
          failures.append((entry.path.visible, "\(error)"))
        }
      } else if let kind = Self.kind(entry.path.utf8) {
        return FoundFile(path: entry.path, url: entry.url, kind: kind)
      }
    }
    return nil
  }

  /// Puts the contents of a folder in front of the remaining items.
  private mutating func push(_ folder: URL, below parent: String) throws {
    let listing = try DirectoryListing(folder.path)
    var entries: [Entry] = []
    for item in listing.items where item.kind != .other {
      let isFolder = item.kind == .folder
      if let name = String(validating: item.name, as: UTF8.self) {
        entries.append(Entry(path: parent + name, url: folder.appending(path: name), isFolder: isFolder))
      } else if isFolder || Self.kind(item.name) != nil {
        failures.append((parent.visible + String(visible: item.name), "has a name that isn't UTF-8"))
      }
    }
    for failure in listing.failures {
      failures.append((parent.visible + String(visible: failure.name), failure.reason))
    }
    pending += entries.sorted { $0.path > $1.path }
  }

  /// Returns the kind of a file by its extension.
  private static func kind(_ name: some BidirectionalCollection<UInt8>) -> FoundFile.Kind? {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let ending = String(decoding: name[dot...].dropFirst(), as: UTF8.self).lowercased()
    return notes.contains(ending) ? .note : attachments.contains(ending) ? .attachment : nil
  }
}
