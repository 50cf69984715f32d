#include "PageCipher.h"

#include <stdlib.h>
#include <string.h>

#include "TenonChecksums.h"

const unsigned char encrypted_signature[16] = "Tenon encrypted";
const unsigned char plain_signature[16] = "SQLite format 3";

enum { GENERATION_OFFSET = CIPHER_WRAPPED_SIZE, CHECKSUM_OFFSET = GENERATION_OFFSET + 4 };

static void store(uint64_t number, unsigned char *bytes, int size) {
  for (int index = 0; index < size; index++) bytes[index] = (unsigned char)(number >> 8 * index);
}

static uint64_t load(const unsigned char *bytes, int size) {
  uint64_t number = 0;
  for (int index = size - 1; index >= 0; index--) number = number << 8 | bytes[index];
  return number;
}

PageCipher *page_cipher_new(const unsigned char key[32]) {
  PageCipher *cipher = calloc(1, sizeof(PageCipher));
  if (cipher) memcpy(cipher->key, key, sizeof cipher->key);
  return cipher;
}

void page_cipher_free(PageCipher *cipher) {
  if (!cipher) return;
  cipher_free(cipher->cipher);
  cipher_erase(cipher, sizeof *cipher);
  free(cipher);
}

// The key record

// The checksum of a record distinguishes a damaged record from one that was wrapped with another key.
static uint64_t record_checksum(const unsigned char *record) {
  unsigned char bytes[CHECKSUM_OFFSET + 4 + TENON_CHECKSUM_SIZE] = {0};
  memcpy(bytes, record, CHECKSUM_OFFSET);
  return tenon_page_checksum(bytes, sizeof bytes, 0);
}

static uint32_t generation(const unsigned char *record) { return (uint32_t)load(record + GENERATION_OFFSET, 4); }

static int make_record(
  const unsigned char key[32], const unsigned char data_key[32], uint32_t generation, unsigned char *record
) {
  if (!cipher_wrap(key, data_key, record)) return 0;
  store(generation, record + GENERATION_OFFSET, 4);
  store(record_checksum(record), record + CHECKSUM_OFFSET, 8);
  return 1;
}

static int use_data_key(PageCipher *cipher, const unsigned char data_key[32]) {
  Cipher *data = cipher_new(data_key);
  if (!data) return 0;
  cipher_free(cipher->cipher);
  cipher->cipher = data;
  memcpy(cipher->data_key, data_key, 32);
  cipher->nonces = 0;
  return 1;
}

RecordState page_cipher_adopt(PageCipher *cipher, const unsigned char record[KEY_RECORD_SIZE]) {
  if (cipher->cipher && memcmp(record, cipher->record, KEY_RECORD_SIZE) == 0)
    return cipher->record_fits ? RECORD_FITS : RECORD_HAS_OTHER_KEY;
  if (load(record + CHECKSUM_OFFSET, 8) != record_checksum(record)) return RECORD_IS_DAMAGED;
  unsigned char data_key[32];
  int fits = cipher_unwrap(cipher->key, record, data_key);
  // A database that another connection has created in the meantime has another data key.
  int is_other = fits && (!cipher->cipher || memcmp(data_key, cipher->data_key, sizeof data_key));
  if (is_other) fits = use_data_key(cipher, data_key);
  cipher_erase(data_key, sizeof data_key);
  // A record of another connection that has replaced the key is kept, although it can't be unwrapped.
  if (is_other || (cipher->cipher && generation(record) > generation(cipher->record))) {
    memcpy(cipher->record, record, KEY_RECORD_SIZE);
    cipher->record_fits = fits;
  }
  return fits ? RECORD_FITS : RECORD_HAS_OTHER_KEY;
}

int page_cipher_create(PageCipher *cipher) {
  unsigned char data_key[32];
  int is_done = cipher_random(data_key, sizeof data_key) && use_data_key(cipher, data_key)
    && make_record(cipher->key, data_key, 1, cipher->record);
  cipher_erase(data_key, sizeof data_key);
  cipher->is_admitted = cipher->record_fits = is_done;
  return is_done;
}

int page_cipher_rotate(PageCipher *cipher, const unsigned char key[32]) {
  unsigned char record[KEY_RECORD_SIZE];
  if (!cipher->cipher || !make_record(key, cipher->data_key, generation(cipher->record) + 1, record)) return 0;
  memcpy(cipher->former_key, cipher->key, sizeof cipher->key);
  memcpy(cipher->former_record, cipher->record, KEY_RECORD_SIZE);
  memcpy(cipher->key, key, sizeof cipher->key);
  memcpy(cipher->record, record, KEY_RECORD_SIZE);
  cipher->former_record_fits = cipher->record_fits;
  cipher->record_fits = cipher->can_revert = 1;
  return 1;
}

void page_cipher_revert(PageCipher *cipher) {
  if (!cipher->can_revert) return;
  cipher->can_revert = 0;
  memcpy(cipher->key, cipher->former_key, sizeof cipher->key);
  memcpy(cipher->record, cipher->former_record, KEY_RECORD_SIZE);
  cipher->record_fits = cipher->former_record_fits;
}

// Pages

// Returns the nonce for the next page; null if there is no randomness.
static const unsigned char *next_nonce(PageCipher *cipher) {
  if (cipher->nonces == 0) {
    if (!cipher_random(cipher->nonce, CIPHER_NONCE_SIZE - 2)) return NULL;
    cipher->nonces = 65536;
  }
  cipher->nonces -= 1;
  store(cipher->nonces, cipher->nonce + CIPHER_NONCE_SIZE - 2, 2);
  return cipher->nonce;
}

enum { ADDITIONAL_SIZE = 8 + PAGE_CLEAR_SIZE + KEY_RECORD_SIZE };

// Collects the number of a page and its bytes in clear. Returns their number.
static size_t additional(
  const unsigned char *page, size_t size, uint64_t number, unsigned char bytes[ADDITIONAL_SIZE]
) {
  size_t clear = number == 1 ? PAGE_CLEAR_SIZE : 0;
  store(number, bytes, 8);
  memcpy(bytes + 8, page, clear);
  memcpy(bytes + 8 + clear, page + size - KEY_RECORD_SIZE, KEY_RECORD_SIZE);
  return 8 + clear + KEY_RECORD_SIZE;
}

int page_cipher_seal(
  PageCipher *cipher, const unsigned char *page, unsigned char *out, size_t size, uint64_t number
) {
  size_t clear = number == 1 ? PAGE_CLEAR_SIZE : 0, end = size - PAGE_RESERVED_SIZE;
  const unsigned char *nonce = next_nonce(cipher);
  if (!nonce) return 0;
  memcpy(out + end, nonce, CIPHER_NONCE_SIZE);
  if (number == 1) {
    memcpy(out, encrypted_signature, sizeof encrypted_signature);
    memcpy(out + 16, page + 16, PAGE_CLEAR_SIZE - 16);
    memcpy(out + size - KEY_RECORD_SIZE, cipher->record, KEY_RECORD_SIZE);
  } else {
    memset(out + size - KEY_RECORD_SIZE, 0, KEY_RECORD_SIZE);
  }
  unsigned char bytes[ADDITIONAL_SIZE];
  size_t count = additional(out, size, number, bytes);
  return cipher_seal(
    cipher->cipher, out + end, bytes, count, page + clear, out + clear, end - clear, out + end + CIPHER_NONCE_SIZE);
}

int page_cipher_open(PageCipher *cipher, unsigned char *page, size_t size, uint64_t number) {
  size_t clear = number == 1 ? PAGE_CLEAR_SIZE : 0, end = size - PAGE_RESERVED_SIZE;
  unsigned char bytes[ADDITIONAL_SIZE];
  size_t count = additional(page, size, number, bytes);
  int fits = cipher_open(
    cipher->cipher, page + end, bytes, count, page + clear, page + clear, end - clear, page + end + CIPHER_NONCE_SIZE);
  if (number == 1) memcpy(page, plain_signature, sizeof plain_signature);
  return fits;
}
