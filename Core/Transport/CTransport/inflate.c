#if defined(__linux__)

#include "tenon_inflate.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

/// `z_stream` of zlib 1, whose binary interface hasn't changed since 1998.
struct stream {
  const uint8_t *next_in;
  unsigned int avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned int avail_out;
  unsigned long total_out;
  const char *message;
  void *state;
  void *allocate;
  void *release;
  void *context;
  int data_type;
  unsigned long checksum;
  unsigned long reserved;
};

struct tenon_inflate {
  struct stream stream;
};

static struct {
  int (*init)(struct stream *stream, int window_bits, const char *version, int size);
  int (*inflate)(struct stream *stream, int flush);
  int (*reset)(struct stream *stream);
  int (*end)(struct stream *stream);
} zlib;

static bool is_available;

static void load(void) {
  void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  *(void **)&zlib.init = dlsym(library, "inflateInit2_");
  *(void **)&zlib.inflate = dlsym(library, "inflate");
  *(void **)&zlib.reset = dlsym(library, "inflateReset");
  *(void **)&zlib.end = dlsym(library, "inflateEnd");
  is_available = zlib.init && zlib.inflate && zlib.reset && zlib.end;
}

bool tenon_inflate_is_available(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return is_available;
}

tenon_inflate *tenon_inflate_new(void) {
  if (!tenon_inflate_is_available()) return NULL;
  tenon_inflate *result = calloc(1, sizeof *result);
  if (!result) return NULL;
  // The largest window, and either format, which zlib recognizes by the header.
  const int window_bits = 15 + 32;
  if (zlib.init(&result->stream, window_bits, "1.2.0", (int)sizeof result->stream) != 0) {
    free(result);
    return NULL;
  }
  return result;
}

int tenon_inflate_next(
  tenon_inflate *state, const uint8_t *input, size_t *input_count, uint8_t *output, size_t *output_count) {
  struct stream *stream = &state->stream;
  unsigned int given = *input_count > UINT_MAX ? UINT_MAX : (unsigned int)*input_count;
  unsigned int space = *output_count > UINT_MAX ? UINT_MAX : (unsigned int)*output_count;
  stream->next_in = input;
  stream->avail_in = given;
  stream->next_out = output;
  stream->avail_out = space;
  const int no_flush = 0, ok = 0, stream_end = 1, buffer_error = -5;
  int code = zlib.inflate(stream, no_flush);
  *input_count = given - stream->avail_in;
  *output_count = space - stream->avail_out;
  if (code == stream_end) return TENON_INFLATE_END;
  return code == ok || code == buffer_error ? TENON_INFLATE_MORE : TENON_INFLATE_DAMAGED;
}

void tenon_inflate_reset(tenon_inflate *state) { zlib.reset(&state->stream); }

void tenon_inflate_free(tenon_inflate *state) {
  zlib.end(&state->stream);
  free(state);
}

#endif
