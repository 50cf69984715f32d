#include <string.h>

#include "TenonChecksums.h"

// Integers in files are little-endian, so that a file can be moved between machines.
static uint64_t load(const unsigned char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

static void store(uint64_t word, unsigned char *bytes) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  memcpy(bytes, &word, sizeof word);
}

// A bijection: different words map to different words. The multiplication carries each bit to the higher
// ones, and the shift carries those back to the lower ones.
static uint64_t mix(uint64_t word) {
  word *= 0x9E3779B97F4A7C15;
  return word ^ word >> 32;
}

// Four independent sums keep the processor's multiplier busy. Each step is a bijection of its sum, and so is
// their combination, so a change of one word always changes the result.
uint64_t tenon_page_checksum(const void *page, size_t size, uint64_t number) {
  const unsigned char *bytes = page;
  const unsigned char *end = bytes + size - TENON_CHECKSUM_SIZE;
  uint64_t a = mix(number + 1), b = mix(number + 2), c = mix(number + 3), d = mix(number + 4);
  for (; end - bytes >= 32; bytes += 32) {
    a = mix(a ^ load(bytes));
    b = mix(b ^ load(bytes + 8));
    c = mix(c ^ load(bytes + 16));
    d = mix(d ^ load(bytes + 24));
  }
  uint64_t sum = mix(mix(mix(a) ^ b) ^ c) ^ d;
  for (; bytes < end; bytes += 8) sum = mix(sum ^ load(bytes));
  return mix(sum ^ size);
}

static uint32_t log_word(const unsigned char *bytes, int is_big_endian) {
  return is_big_endian
    ? (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3]
    : (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

void tenon_log_checksum(const void *bytes, size_t size, int is_big_endian, uint32_t sums[2]) {
  const unsigned char *pair = bytes;
  uint32_t first = sums[0], second = sums[1];
  for (const unsigned char *end = pair + size; pair < end; pair += 8) {
    first += log_word(pair, is_big_endian) + second;
    second += log_word(pair + 4, is_big_endian) + first;
  }
  sums[0] = first;
  sums[1] = second;
}

static const unsigned char mark_name[8] = {'T', 'e', 'n', 'o', 'n', 'L', 'o', 'g'};

void tenon_encode_log_mark(const tenon_log_mark *mark, void *bytes) {
  unsigned char *next = bytes;
  memcpy(next, mark_name, 8);
  memcpy(next + 8, mark->salts, 8);
  memcpy(next + 16, mark->sums, 8);
  store(mark->frames, next + 24);
  store(tenon_page_checksum(bytes, TENON_LOG_MARK_SIZE, 0), next + 32);
}

int tenon_decode_log_mark(const void *bytes, size_t size, tenon_log_mark *mark) {
  const unsigned char *next = bytes;
  if (size < TENON_LOG_MARK_SIZE || memcmp(next, mark_name, 8)) return 0;
  if (load(next + 32) != tenon_page_checksum(bytes, TENON_LOG_MARK_SIZE, 0)) return 0;
  memcpy(mark->salts, next + 8, 8);
  memcpy(mark->sums, next + 16, 8);
  mark->frames = load(next + 24);
  return 1;
}
