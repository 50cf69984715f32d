#ifndef TENON_CIPHER_H
#define TENON_CIPHER_H

#include <stddef.h>
#include <stdint.h>

// AES-256-GCM (NIST SP 800-38D) and AES key wrap (RFC 3394), of the system's library of cryptography. On
// Linux that is OpenSSL's libcrypto, which is opened when `tenon_cipher_load` is first called. For another
// platform, implement these functions with its own library.
//
// Functions that return an `int` return 1 on success and 0 on failure.

enum { CIPHER_NONCE_SIZE = 12, CIPHER_TAG_SIZE = 16, CIPHER_WRAPPED_SIZE = 40 };

// A key that is prepared for encrypting and decrypting. Only one thread at a time may use it.
typedef struct Cipher Cipher;

// Creates a cipher; null without memory. The library must have been loaded.
Cipher *cipher_new(const unsigned char key[32]);
// Erases the key and releases memory. Does nothing for null.
void cipher_free(Cipher *cipher);

// Encrypts `size` bytes and computes the tag of them and of the additional data. `in` and `out` may be equal.
// A nonce must never be used twice with one key.
int cipher_seal(
  Cipher *cipher, const unsigned char *nonce, const unsigned char *additional, size_t additional_size,
  const unsigned char *in, unsigned char *out, size_t size, unsigned char *tag
);
// Decrypts `size` bytes. Returns 0 if the tag doesn't match them and the additional data; `out` then contains
// bytes that must not be trusted. `in` and `out` may be equal.
int cipher_open(
  Cipher *cipher, const unsigned char *nonce, const unsigned char *additional, size_t additional_size,
  const unsigned char *in, unsigned char *out, size_t size, const unsigned char *tag
);

// Encrypts a key of 32 bytes with another one, as `CIPHER_WRAPPED_SIZE` bytes.
int cipher_wrap(const unsigned char wrapping_key[32], const unsigned char key[32], unsigned char *wrapped);
// Decrypts a wrapped key. Returns 0 if it was wrapped with another key, or changed.
int cipher_unwrap(const unsigned char wrapping_key[32], const unsigned char *wrapped, unsigned char key[32]);

// Fills bytes with random ones that can't be predicted.
int cipher_random(unsigned char *bytes, size_t size);

// Overwrites bytes, also if they aren't read any more.
void cipher_erase(void *bytes, size_t size);

#endif
