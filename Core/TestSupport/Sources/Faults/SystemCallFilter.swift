#if os(Linux)
  import Foundation

  /// A seccomp filter of the calling thread, which remains in effect until the thread ends.
  package enum SystemCallFilter {
    /// A system call, and the error with which it fails.
    package struct SystemCall: Sendable {
      fileprivate let number: UInt32
      fileprivate let code: Int32

      /// `membarrier(2)`, which fails with `EPERM`.
      package static let membarrier = SystemCall(x86: 324, arm: 283, code: EPERM)
      /// `fsync(2)`, which fails with `EIO`.
      package static let fsync = SystemCall(x86: 74, arm: 82, code: EIO)

      private init(x86: UInt32, arm: UInt32, code: Int32) {
        #if arch(x86_64)
          number = x86
        #else
          number = arm
        #endif
        self.code = code
      }
    }

    private struct Instruction {
      let code: UInt16
      var whenTrue: UInt8 = 0
      var whenFalse: UInt8 = 0
      let value: UInt32
    }

    private struct Program {
      let count: UInt16
      let instructions: UnsafeMutablePointer<Instruction>
    }

    /// Makes a system call of this thread fail from now on.
    package static func refuse(_ call: SystemCall) {
      // BPF: load the number of the system call; unless it is the given one, skip one instruction; return.
      var instructions = [
        Instruction(code: 0x20, value: 0),
        Instruction(code: 0x15, whenFalse: 1, value: call.number),
        Instruction(code: 0x06, value: 0x0005_0000 | UInt32(call.code)),
        Instruction(code: 0x06, value: 0x7FFF_0000),
      ]
      // The C function is variadic, and Swift can't call variadic functions by name.
      typealias Function = @convention(c) (Int32, UInt, UnsafeMutableRawPointer?, UInt, UInt) -> Int32
      guard let symbol = dlsym(nil, "prctl") else { preconditionFailure("There is no prctl.") }
      let prctl = unsafeBitCast(symbol, to: Function.self)
      let (setNoNewPrivileges, setFilter, filterMode) = (Int32(38), Int32(22), UInt(2))
      precondition(prctl(setNoNewPrivileges, 1, nil, 0, 0) == 0)
      instructions.withUnsafeMutableBufferPointer { buffer in
        var program = Program(count: 4, instructions: buffer.baseAddress!)
        precondition(prctl(setFilter, filterMode, &program, 0, 0) == 0)
      }
    }
  }
#endif
