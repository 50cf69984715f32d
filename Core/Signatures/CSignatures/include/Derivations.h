#ifndef TENON_DERIVATIONS_H
#define TENON_DERIVATIONS_H

#include <stddef.h>
#include <stdint.h>

// Digests, keyed digests and keys that are derived from passwords, of the system's library of cryptography. On
// Linux that is OpenSSL's libcrypto, as for signatures. For another platform, implement these functions with its
// own library.
//
// Every function may be called on any thread. Each returns 1 on success and 0 on failure, for example if the
// library is configured without a function.

// Opens the library. Returns null, or why it can't be used. The other functions may be called only after it has
// returned null.
const char *tenon_derivations_load(void);

typedef enum { TENON_MD5, TENON_SHA1, TENON_SHA256, TENON_SHA512 } TenonDigest;

// The digest of bytes. `result` has space for 64 bytes.
int tenon_digest(TenonDigest digest, const uint8_t *bytes, size_t size, uint8_t *result);
// HMAC (RFC 2104). `result` has space for 64 bytes.
int tenon_hmac(
  TenonDigest digest, const uint8_t *key, size_t key_size, const uint8_t *bytes, size_t size, uint8_t *result);
// PBKDF2 (RFC 8018) with HMAC. Fills `result`.
int tenon_pbkdf2(
  TenonDigest digest, const uint8_t *password, size_t password_size, const uint8_t *salt, size_t salt_size,
  int rounds, uint8_t *result, size_t size);
// scrypt (RFC 7914) with at most `memory` bytes. Fills `result`.
int tenon_scrypt(
  const uint8_t *password, size_t password_size, const uint8_t *salt, size_t salt_size, uint64_t cost,
  uint64_t block_size, uint64_t parallelization, uint64_t memory, uint8_t *result, size_t size);
// AES-256 in counter mode that begins with 0, with a key of 32 bytes. `result` has as many bytes as the input.
int tenon_aes_ctr(const uint8_t *key, const uint8_t *bytes, size_t size, uint8_t *result);

#endif
