import Foundation
import TenonProcesses
import TenonTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Pipes of processes that tests start end with these processes.
@Suite(.limited) struct ExclusivePipeTests {
  private func start(_ command: String, input: Any, output: Any) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.start()
    return process
  }

  @Test func aPipeEndsAlthoughAProcessThatWasStartedInBetweenGoesOn() throws {
    let (output, longInput) = (Pipe.exclusive, Pipe.exclusive)
    let long = try start("cat", input: longInput, output: FileHandle.nullDevice)
    let short = try start("echo done", input: FileHandle.nullDevice, output: output)
    short.waitUntilExit()
    let reading = output.fileHandleForReading
    // A copy of the writing end would make this wait for `cat`.
    _ = fcntl(reading.fileDescriptor, F_SETFL, O_NONBLOCK)
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = read(reading.fileDescriptor, &bytes, bytes.count)
    #expect(count == 5)
    #expect(read(reading.fileDescriptor, &bytes, bytes.count) == 0, "\(String(cString: strerror(errno)))")
    #expect(long.isRunning)
    try longInput.fileHandleForWriting.close()
    long.waitUntilExit()
    #expect(long.terminationStatus == 0)
  }
}
