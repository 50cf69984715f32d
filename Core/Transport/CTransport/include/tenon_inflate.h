// Decompression with zlib (RFC 1950, 1952), which is loaded at the first request, as libcurl is.
//
// libcurl could decompress by itself. It takes a stream that ends early for complete, though, and once it has begun to decompress a
// buffer, it doesn't stop before the end, whatever the buffer grows to.
#ifndef TENON_INFLATE_H
#define TENON_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The state of one compressed stream.
typedef struct tenon_inflate tenon_inflate;

enum {
  /// There may be more.
  TENON_INFLATE_MORE = 0,
  /// The compressed stream has ended.
  TENON_INFLATE_END = 1,
  /// The data aren't in the format.
  TENON_INFLATE_DAMAGED = 2,
};

/// Returns whether zlib can be used. Thread-safe.
bool tenon_inflate_is_available(void);

/// Returns the state of a new stream in the format of gzip or zlib; null if there is no memory.
tenon_inflate *tenon_inflate_new(void);

/// Decompresses as much as fits.
///
/// - input, input_count: the compressed bytes. Receives the number of those that were read.
/// - output, output_count: where to write, and how much at most. Receives the number of bytes that were written.
/// Returns one of the values above.
int tenon_inflate_next(
  tenon_inflate *stream, const uint8_t *input, size_t *input_count, uint8_t *output, size_t *output_count);

/// Prepares for another stream.
void tenon_inflate_reset(tenon_inflate *stream);

/// Frees the state.
void tenon_inflate_free(tenon_inflate *stream);

#endif
