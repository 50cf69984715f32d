#if os(Linux)
  import Foundation

  /// The programs that compute hashes of files for the contenders that have no such function: `openssl`
  /// computes the MD5, and google-crc32c, Google's Python package with a part in C, the CRC32C.
  struct HashTools {
    /// The Python interpreter, and the folder of the scripts.
    let python: URL
    let peers: URL
    /// Whether the interpreter has google-crc32c.
    private let hasCRC32C: Bool

    private static let openssl = URL(filePath: "/usr/bin/openssl")
    private var script: URL { peers.appending(path: "crc32c.py") }

    init(python: URL, peers: URL) {
      (self.python, self.peers) = (python, peers)
      let process = ChildProcess(
        name: "python", program: python, arguments: ["-c", "import google_crc32c"], hidesErrors: true)
      hasCRC32C = (try? process.run()) != nil
    }

    /// A sentence that says what is missing; `nil` if at least the MD5 can be computed.
    var absence: String? {
      FileManager.default.isExecutableFile(atPath: Self.openssl.path)
        ? nil : "there is no \(Self.openssl.path)"
    }

    /// A sentence that says what is missing for the CRC32C.
    var remark: String? {
      hasCRC32C
        ? nil
        : "curl-then-hashes and curl-beside-hashes compute the MD5 only: \(python.path) has no google_crc32c. Run "
          + "Integration/SecondOpinions/prepare, or name another interpreter with --python."
    }

    /// Computes the MD5 of a file, checks it, and returns the time of the process in nanoseconds.
    func md5(_ content: URL, _ file: KnownFile) throws -> Double {
      let start = ContinuousClock.now
      let output = try ChildProcess(
        name: "openssl", program: Self.openssl, arguments: ["md5", "-r", content.path]
      ).run().output
      let time = ContinuousClock.now - start
      try check(output, file, "openssl")
      return time / .nanoseconds(1)
    }

    /// Computes the CRC32C of a file, checks it, and returns the time in nanoseconds without that of starting
    /// Python; 0 without the tool.
    func crc32c(_ content: URL, _ file: KnownFile) throws -> Double {
      guard hasCRC32C else { return 0 }
      let output = try ChildProcess(
        name: "google_crc32c", program: python, arguments: [script.path, content.path]
      ).run().output
      try check(output, file, "google_crc32c")
      let words = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      return (words.last.flatMap { Double($0) } ?? 0) * 1_000_000_000
    }

    /// Flushes a file to the disk and returns the time in nanoseconds.
    static func flush(_ file: URL) throws -> Double {
      let start = ContinuousClock.now
      let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
      defer { close(descriptor) }
      guard descriptor >= 0, fsync(descriptor) == 0 else {
        throw ContenderFailed(
          description: "\(file.path) can't be flushed: \(String(cString: strerror(errno))).")
      }
      return (ContinuousClock.now - start) / .nanoseconds(1)
    }

    /// Runs curl, and computes the hashes in processes that run concurrently: of the file while it is
    /// uploaded, or of the bytes that curl receives.
    ///
    /// - Returns: the time until all have ended in nanoseconds, including the start of the processes.
    func besides(_ curl: [String], _ task: StorageTask, _ file: KnownFile, _ copy: URL) throws -> Double {
      // The arguments are: openssl, python, script, file, copy, curl's arguments. fd 3 is the output of the
      // hashes.
      let hashes = hasCRC32C ? #""$P" "$S" "$F" >&3 &"# : ""
      let upload = #""$O" md5 -r "$F" >&3 & \#(hashes) /usr/bin/curl "$@"; status=$?; wait; exit $status"#
      let crc = hasCRC32C ? #"| tee >("$P" "$S" - >&3)"# : ""
      let download =
        #"set -o pipefail; /usr/bin/curl "$@" | tee "$C" \#(crc) | "$O" md5 -r >&3; status=$?; wait; exit $status"#
      var curl = curl
      if task == .download, let index = curl.firstIndex(of: "--output") {
        curl.removeSubrange(index...index + 1)
      }
      let process = ChildProcess(
        name: "curl-beside-hashes", program: URL(filePath: "/bin/bash"),
        arguments: ["-c", "exec 3>&1; " + (task == .upload ? upload : download), "bash"] + curl,
        environment: [
          "O": Self.openssl.path, "P": python.path, "S": script.path, "F": file.url.path, "C": copy.path,
        ])
      let start = ContinuousClock.now
      let output = try process.run().output
      let time = ContinuousClock.now - start
      // The line with the MD5 is the one with hexadecimal digits.
      for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
        try check(Data(line.utf8), file, "openssl or google_crc32c")
      }
      return time / .nanoseconds(1)
    }

    private func check(_ output: Data, _ file: KnownFile, _ tool: String) throws {
      let words = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      try file.check(words.first.map(String.init) ?? "nothing", of: tool)
    }
  }
#endif
