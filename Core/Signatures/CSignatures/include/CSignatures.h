#ifndef CSIGNATURES_H
#define CSIGNATURES_H

#include "Derivations.h"

#include <stddef.h>
#include <stdint.h>

// Signatures with SHA-256 of RSA keys (RSASSA-PKCS1-v1_5, `RS256` of RFC 7518) and of keys of elliptic curves
// (ECDSA in DER, RFC 3279, section 2.2.3), of the system's library of cryptography. On Linux that is OpenSSL's libcrypto, which is opened when `tenon_signatures_load` is first
// called. For another platform, implement these functions with its own library.
//
// Every function may be called on any thread, and one key may be used by several threads at the same time.

// Opens the library. Returns null, or why it can't be used. The other functions may be called only after it has
// returned null.
const char *tenon_signatures_load(void);

typedef enum { TENON_KEY_RSA, TENON_KEY_CURVE } TenonKeyKind;

// Reads a public key (SubjectPublicKeyInfo in DER, RFC 5280). Returns 0 if these bytes are no key of the kind.
uintptr_t tenon_public_key(TenonKeyKind kind, const uint8_t *bytes, size_t size);
// Reads a private key (PKCS #8, or PKCS #1 for RSA, in DER). Returns 0 if these bytes are no key of the kind.
uintptr_t tenon_private_key(TenonKeyKind kind, const uint8_t *bytes, size_t size);
// Generates a private RSA key of 2048 bits. Returns 0 if libcrypto fails.
uintptr_t tenon_generate_rsa(void);
// Write the public part of a key (SubjectPublicKeyInfo) or a private key (PKCS #1 for RSA), both in DER. `size` is
// the space at `bytes`, and then the size of the key. Return 1 on success and 0 on failure.
int tenon_write_public_key(uintptr_t key, uint8_t *bytes, size_t *size);
int tenon_write_private_key(uintptr_t key, uint8_t *bytes, size_t *size);
// Releases a key. Does nothing for 0.
void tenon_key_free(uintptr_t key);
// The size of a key in bits: that of the modulus, or of the order of the curve.
int tenon_key_bits(uintptr_t key);

// Returns 1 if the signature of the message was made with the private key of a public key, and 0 otherwise.
int tenon_verify(
  uintptr_t key, const uint8_t *message, size_t message_size, const uint8_t *signature, size_t signature_size);
// Signs a message. `size` is the space at `signature`, and then the size of the signature. Returns 1 on success
// and 0 on failure.
int tenon_sign(uintptr_t key, const uint8_t *message, size_t message_size, uint8_t *signature, size_t *size);

// Overwrites bytes, also if they aren't read any more.
void tenon_erase(uint8_t *bytes, size_t size);

#endif
