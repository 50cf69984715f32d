#ifndef TENON_PAGE_CIPHER_H
#define TENON_PAGE_CIPHER_H

#include <stddef.h>
#include <stdint.h>

#include "Cipher.h"

// The encrypted form of the pages of a database. A page has the same form in the file, in its log and in a
// rollback journal:
//
//     page 1 only: 16 bytes "Tenon encrypted", and bytes 16 to 23 of SQLite's header in clear, which SQLite
//                  reads before it knows the size of a page
//     the content, encrypted with AES-256-GCM under the data key
//     12 bytes nonce, 16 bytes tag
//     52 bytes: the key record in page 1, zeros in other pages
//
// Everything that isn't encrypted is authenticated, together with the number of the page, so that a page can
// neither be changed nor moved.
//
// The data key is random and belongs to one database. The key record contains it, wrapped with the user's
// key, and replacing the user's key replaces only the record:
//
//     40 bytes wrapped data key, 4 bytes generation, 8 bytes checksum (both little-endian)
//
// A nonce consists of 10 random bytes and a counter of 2 bytes; the random bytes change after 65,536 pages.
// After 2^40 written pages (4 PiB), the probability that two pages ever had the same nonce is 2^-33.

enum { PAGE_RESERVED_SIZE = 80, KEY_RECORD_SIZE = 52, PAGE_CLEAR_SIZE = 24 };

// The first bytes of an encrypted database; those of any other one are "SQLite format 3".
extern const unsigned char encrypted_signature[16], plain_signature[16];

typedef struct PageCipher {
  unsigned char key[32];       // the user's key
  unsigned char data_key[32];  // valid if `cipher` isn't null
  Cipher *cipher;              // null until the data key is known
  // Whether SQLite has read a page 1 with a record that is wrapped with the user's key, or created one. From
  // then on, another connection may replace the key.
  int is_admitted;
  // The newest known record, and whether it is wrapped with the user's key.
  unsigned char record[KEY_RECORD_SIZE];
  int record_fits;
  unsigned char nonce[CIPHER_NONCE_SIZE];
  uint32_t nonces;  // how many nonces are left before the random bytes change
  // The state before the last call of `page_cipher_rotate`.
  int can_revert;
  unsigned char former_key[32];
  unsigned char former_record[KEY_RECORD_SIZE];
  int former_record_fits;
} PageCipher;

// Creates the state of a database without a data key; null without memory.
PageCipher *page_cipher_new(const unsigned char key[32]);
// Erases keys and releases memory. Does nothing for null.
void page_cipher_free(PageCipher *cipher);

// The result of decrypting a key record.
typedef enum RecordState { RECORD_FITS, RECORD_HAS_OTHER_KEY, RECORD_IS_DAMAGED } RecordState;

// Learns the data key from a record, the last bytes of page 1, and remembers the record if it is the newest.
RecordState page_cipher_adopt(PageCipher *cipher, const unsigned char record[KEY_RECORD_SIZE]);
// Creates a random data key, for a database that is created. Returns 0 if that fails.
int page_cipher_create(PageCipher *cipher);

// Wraps the data key with another key. The next page 1 that is encrypted contains the new record. Returns 0
// if that fails.
int page_cipher_rotate(PageCipher *cipher, const unsigned char key[32]);
// Returns to the former key, because no page 1 with the new record was committed. Does nothing if the key
// wasn't replaced since.
void page_cipher_revert(PageCipher *cipher);

// Encrypts a page; the data key must be known. `out` is another buffer of the same size. Returns 0 on
// failure.
int page_cipher_seal(
  PageCipher *cipher, const unsigned char *page, unsigned char *out, size_t size, uint64_t number
);
// Decrypts a page in place; the data key must be known. Returns 0 if it was changed; it then contains bytes
// that must not be trusted.
int page_cipher_open(PageCipher *cipher, unsigned char *page, size_t size, uint64_t number);

#endif
