#include "Derivations.h"

#include <TenonLibcrypto.h>

#if defined(__linux__) && !defined(__ANDROID__)

#include <limits.h>
#include <pthread.h>

// The functions of libcrypto.
static struct {
  const void *(*digests[4])(void);
  int (*digest)(
    const void *bytes, size_t size, unsigned char *result, unsigned *result_size, const void *digest, void *engine
  );
  unsigned char *(*hmac)(
    const void *digest, const void *key, int key_size, const unsigned char *bytes, size_t size,
    unsigned char *result, unsigned *result_size
  );
  int (*pbkdf2)(
    const char *password, int password_size, const unsigned char *salt, int salt_size, int rounds,
    const void *digest, int size, unsigned char *result
  );
  int (*scrypt)(
    const char *password, size_t password_size, const unsigned char *salt, size_t salt_size, uint64_t cost,
    uint64_t block_size, uint64_t parallelization, uint64_t memory, unsigned char *result, size_t size
  );
  void *(*ctx_new)(void);
  void (*ctx_free)(void *ctx);
  const void *(*aes_256_ctr)(void);
  int (*encrypt_init)(
    void *ctx, const void *cipher, void *engine, const unsigned char *key, const unsigned char *counter
  );
  int (*encrypt_update)(void *ctx, unsigned char *result, int *result_size, const unsigned char *bytes, int size);
  void (*clear_errors)(void);
} crypto;

static char failure[256];

static void load(void) {
  const TenonLibcryptoSymbol symbols[] = {
    {(void **)&crypto.digests[TENON_MD5], "EVP_md5", NULL},
    {(void **)&crypto.digests[TENON_SHA1], "EVP_sha1", NULL},
    {(void **)&crypto.digests[TENON_SHA256], "EVP_sha256", NULL},
    {(void **)&crypto.digests[TENON_SHA512], "EVP_sha512", NULL},
    {(void **)&crypto.digest, "EVP_Digest", NULL},
    {(void **)&crypto.hmac, "HMAC", NULL},
    {(void **)&crypto.pbkdf2, "PKCS5_PBKDF2_HMAC", NULL},
    {(void **)&crypto.scrypt, "EVP_PBE_scrypt", NULL},
    {(void **)&crypto.ctx_new, "EVP_CIPHER_CTX_new", NULL},
    {(void **)&crypto.ctx_free, "EVP_CIPHER_CTX_free", NULL},
    {(void **)&crypto.aes_256_ctr, "EVP_aes_256_ctr", NULL},
    {(void **)&crypto.encrypt_init, "EVP_EncryptInit_ex", NULL},
    {(void **)&crypto.encrypt_update, "EVP_EncryptUpdate", NULL},
    {(void **)&crypto.clear_errors, "ERR_clear_error", NULL},
  };
  tenon_libcrypto_load(symbols, sizeof symbols / sizeof *symbols, failure, sizeof failure);
}

const char *tenon_derivations_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure[0] ? failure : NULL;
}

// Ends the use of the library. Errors of one thread stay in its queue otherwise.
static int leave(int is_done) {
  if (!is_done) crypto.clear_errors();
  tenon_libcrypto_leave();
  return is_done;
}

int tenon_digest(TenonDigest digest, const uint8_t *bytes, size_t size, uint8_t *result) {
  tenon_libcrypto_enter();
  return leave(crypto.digest(bytes, size, result, NULL, crypto.digests[digest](), NULL) == 1);
}

int tenon_hmac(
  TenonDigest digest, const uint8_t *key, size_t key_size, const uint8_t *bytes, size_t size, uint8_t *result
) {
  if (key_size > INT_MAX) return 0;
  unsigned result_size = 0;
  tenon_libcrypto_enter();
  return leave(
    crypto.hmac(crypto.digests[digest](), key, (int)key_size, bytes, size, result, &result_size) != NULL);
}

int tenon_pbkdf2(
  TenonDigest digest, const uint8_t *password, size_t password_size, const uint8_t *salt, size_t salt_size,
  int rounds, uint8_t *result, size_t size
) {
  if (password_size > INT_MAX || salt_size > INT_MAX || size > INT_MAX) return 0;
  tenon_libcrypto_enter();
  return leave(
    crypto.pbkdf2(
      (const char *)password, (int)password_size, salt, (int)salt_size, rounds, crypto.digests[digest](),
      (int)size, result
    ) == 1);
}

int tenon_scrypt(
  const uint8_t *password, size_t password_size, const uint8_t *salt, size_t salt_size, uint64_t cost,
  uint64_t block_size, uint64_t parallelization, uint64_t memory, uint8_t *result, size_t size
) {
  tenon_libcrypto_enter();
  return leave(
    crypto.scrypt(
      (const char *)password, password_size, salt, salt_size, cost, block_size, parallelization, memory, result,
      size
    ) == 1);
}

int tenon_aes_ctr(const uint8_t *key, const uint8_t *bytes, size_t size, uint8_t *result) {
  static const unsigned char counter[16];
  if (size > INT_MAX) return 0;
  tenon_libcrypto_enter();
  int written = 0;
  void *ctx = crypto.ctx_new();
  int is_done = ctx && crypto.encrypt_init(ctx, crypto.aes_256_ctr(), NULL, key, counter) == 1
    && crypto.encrypt_update(ctx, result, &written, bytes, (int)size) == 1 && written == (int)size;
  if (ctx) crypto.ctx_free(ctx);
  return leave(is_done);
}

#else

const char *tenon_derivations_load(void) { return "there is none on this platform"; }

// Never called, because the library can't be loaded.
int tenon_digest(TenonDigest digest, const uint8_t *bytes, size_t size, uint8_t *result) { return 0; }
int tenon_hmac(
  TenonDigest digest, const uint8_t *key, size_t key_size, const uint8_t *bytes, size_t size, uint8_t *result
) {
  return 0;
}
int tenon_pbkdf2(
  TenonDigest digest, const uint8_t *password, size_t password_size, const uint8_t *salt, size_t salt_size,
  int rounds, uint8_t *result, size_t size
) {
  return 0;
}
int tenon_scrypt(
  const uint8_t *password, size_t password_size, const uint8_t *salt, size_t salt_size, uint64_t cost,
  uint64_t block_size, uint64_t parallelization, uint64_t memory, uint8_t *result, size_t size
) {
  return 0;
}
int tenon_aes_ctr(const uint8_t *key, const uint8_t *bytes, size_t size, uint8_t *result) { return 0; }

#endif
