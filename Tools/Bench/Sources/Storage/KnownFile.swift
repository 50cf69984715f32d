#if os(Linux)
  import Foundation
  import TenonHashes

  /// A file with random content, and its hashes in base64.
  struct KnownFile {
    /// The name of the object with the same content.
    let name: String
    let url: URL
    let size: Int
    let md5: String
    let crc32c: String

    private static let piece = 16 << 20

    /// Creates the file in a directory. Its content repeats every 16 MiB.
    init(_ name: String, size: Int, in directory: URL) throws {
      self.name = name
      self.size = size
      url = directory.appending(path: name)
      var generator = SystemRandomNumberGenerator()
      let words = (0..<Self.piece / 8).map { _ in generator.next() }
      let content = words.withUnsafeBytes { Data($0) }
      try Data().write(to: url)
      let file = try FileHandle(forWritingTo: url)
      defer { try? file.close() }
      var digest = ContentDigest()
      var left = size
      while left > 0 {
        let next = content.prefix(left)
        try file.write(contentsOf: next)
        digest.update(next)
        left -= next.count
      }
      (md5, crc32c) = (digest.md5Hash, digest.crc32cHash)
    }

    /// Checks that a downloaded file has the same content.
    ///
    /// - Throws: ``ContenderFailed``, with the name of the contender.
    func check(_ copy: URL, of contender: String) throws {
      let files = try [url, copy].map { try FileHandle(forReadingFrom: $0) }
      defer { files.forEach { try? $0.close() } }
      while true {
        let pieces = try files.map { try $0.read(upToCount: Self.piece) ?? Data() }
        guard pieces[0] == pieces[1] else {
          throw ContenderFailed(description: "\(contender) has received another content than the server has.")
        }
        if pieces[0].isEmpty { return }
      }
    }

    /// Checks the hash that a tool has printed in hexadecimal digits or base64.
    ///
    /// - Throws: ``ContenderFailed``, with the name of the tool.
    func check(_ hash: String, of tool: String) throws {
      let hex = Data(base64Encoded: md5)?.map { String(format: "%02x", $0) }.joined()
      guard [hex, md5, crc32c].contains(hash) else {
        throw ContenderFailed(description: "\(tool) has computed another hash: \(hash)")
      }
    }
  }
#endif
