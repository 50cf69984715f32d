import TenonFoundation

#if os(Linux)
  import FoundationEssentials
  import TenonCore

  /// The bytes of a response's body that have been received and haven't been read. It is a part of the state
  /// of a ``CurlExchange``, under its lock.
  ///
  /// A streamed body of more than a few KiB is received in blocks of memory that are used again and again. A
  /// reader gets a block without a copy, and it returns when the reader has released its `Data`. New memory
  /// for each piece would cost as much as receiving it: the kernel has to clear each page before its first
  /// use.
  struct CurlInbox: Sendable {
    /// The number of bytes; that of the next piece.
    private(set) var count = 0
    /// The bytes, unless they are in `block`.
    private var data = Data()
    /// The memory that is being filled; `nil` if there are few bytes.
    private var block: Block?
    /// The memory that is used again; `nil` if the bytes are collected in one piece of any size.
    private let blocks: Blocks?

    /// The largest piece that is copied to memory of exactly its size, in bytes. A reader that keeps it
    /// doesn't keep a block.
    private static let smallSize = 32 << 10

    /// Creates an inbox without bytes.
    ///
    /// - Parameter isCollected: whether all bytes are kept as one piece, whatever its size.
    init(isCollected: Bool) { blocks = isCollected ? nil : Blocks() }

    /// Whether there are no bytes.
    var isEmpty: Bool { count == 0 }

    /// Appends bytes, which are copied. Complexity: amortized O(*n*) in their number.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
      let total = count + bytes.count
      if let blocks, block == nil, total > Self.smallSize, total <= Block.size {
        block = Block(blocks)
        data.withUnsafeBytes { block?.write($0, at: 0) }
        data = Data()
      }
      if let block, total <= Block.size {
        block.write(bytes, at: count)
      } else {
        if block != nil { data = take() }
        data.append(contentsOf: bytes)
      }
      count = total
    }

    /// Removes the bytes.
    mutating func removeAll() { (count, data, block) = (0, Data(), nil) }

    /// Removes and returns the bytes as one piece.
    mutating func take() -> Data {
      defer { count = 0 }
      guard let block else {
        defer { data = Data() }
        return data
      }
      guard count > Self.smallSize else { return Data(bytes: block.start, count: count) }
      self.block = nil
      // The deallocator retains the block.
      return Data(
        bytesNoCopy: block.start, count: count,
        deallocator: .custom { _, _ in withExtendedLifetime(block) {} })
    }

    /// Memory that is in use. It can be used again when this object is released.
    private final class Block: Sendable {
      /// The size in bytes: what an exchange buffers, and more than one delivery of libcurl, which is at most
      /// 16 KiB.
      static let size = CurlExchange.bufferSize + 64 << 10
      /// The address, as a number because pointers aren't `Sendable`. The memory is written under the lock of
      /// the exchange, and not any more once it has been taken.
      private let address: UInt
      private let blocks: Blocks
      var start: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: address)! }

      init(_ blocks: Blocks) {
        self.blocks = blocks
        let start = blocks.take() ?? .allocate(byteCount: Self.size, alignment: 16)
        address = UInt(bitPattern: start)
      }

      deinit { blocks.give(start) }

      func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard let source = bytes.baseAddress else { return }
        (start + offset).copyMemory(from: source, byteCount: bytes.count)
      }
    }

    /// The memory of one body that isn't in use.
    private final class Blocks: Sendable {
      /// The maximum number of blocks: one that is being filled while the reader has another one.
      private static let maxCount = 2
      /// The addresses of the blocks.
      private let idle = Lock<[UInt]>([])

      deinit {
        for address in idle.withLock({ $0 }) { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
      }

      /// Removes and returns a block, whose content is unspecified; `nil` if there is none.
      func take() -> UnsafeMutableRawPointer? {
        idle.withLock { $0.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
      }

      /// Adds a block, or frees it if there are enough.
      func give(_ block: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: block)
        let isKept = idle.withLock { idle in
          guard idle.count < Self.maxCount else { return false }
          idle.append(address)
          return true
        }
        if !isKept { block.deallocate() }
      }
    }
  }
#endif
