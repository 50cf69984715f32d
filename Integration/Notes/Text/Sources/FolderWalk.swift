package import Foundation

/// A file that an import takes.
package struct FoundFile: Sendable, Equatable {
  package enum Kind: Sendable {
    case note
    /// An image, a document or anything else that notes show or link to.
    case attachment
  }

  /// Relative to the folder, with slashes.
  package let path: String
  package let url: URL
  package let kind: Kind
}

/// The files below a folder, in the order of their paths. Hidden files and symbolic links are left out; one folder at a
/// time is held in memory.
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

  /// What is still to be walked, last first.
  private var pending: [Entry] = []
  /// Folders that couldn't be read, with the reason.
  package private(set) var failures: [(path: String, reason: String)] = []

  /// - Throws: when the folder itself can't be read.
  package init(_ folder: URL) throws {
    pending = try Self.entries(folder, below: "").reversed()
  }

  package mutating func next() -> FoundFile? {
    while let entry = pending.popLast() {
      if entry.isFolder {
        do {
          pending += try Self.entries(entry.url, below: entry.path + "/").reversed()
        } catch {
          failures.append((entry.path, error.localizedDescription))
        }
      } else if let kind = Self.kind(entry.url) {
        return FoundFile(path: entry.path, url: entry.url, kind: kind)
      }
    }
    return nil
  }

  private static func entries(_ folder: URL, below parent: String) throws -> [Entry] {
    let keys: Set<URLResourceKey> = [.isDirectoryKey, .isRegularFileKey, .isSymbolicLinkKey]
    let contents = try FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: Array(keys),
      options: .skipsHiddenFiles
    )
    return contents.compactMap { url -> Entry? in
      guard let values = try? url.resourceValues(forKeys: keys), values.isSymbolicLink != true else {
        return nil
      }
      let isFolder = values.isDirectory ?? false
      guard isFolder || values.isRegularFile ?? false else { return nil }
      return Entry(path: parent + url.lastPathComponent, url: url, isFolder: isFolder)
    }.sorted { $0.path < $1.path }
  }

  private static func kind(_ url: URL) -> FoundFile.Kind? {
    let ending = url.pathExtension.lowercased()
    return notes.contains(ending) ? .note : attachments.contains(ending) ? .attachment : nil
  }
}
