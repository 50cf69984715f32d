#include "Cipher.h"

#include <TenonLibcrypto.h>
#include <stdlib.h>
#include <string.h>

#include "TenonChecksums.h"

void cipher_erase(void *bytes, size_t size) { tenon_libcrypto_erase(bytes, size); }

#if defined(__linux__) && !defined(__ANDROID__)

#include <pthread.h>
#include <stdio.h>

// The functions of libcrypto.
static struct {
  void *(*ctx_new)(void);
  void (*ctx_free)(void *ctx);
  void (*ctx_set_flags)(void *ctx, int flags);
  int (*ctx_ctrl)(void *ctx, int operation, int argument, void *pointer);
  int (*encrypt_init)(
    void *ctx, const void *cipher, void *engine, const unsigned char *key, const unsigned char *nonce
  );
  int (*encrypt_update)(void *ctx, unsigned char *out, int *out_size, const unsigned char *in, int size);
  int (*encrypt_final)(void *ctx, unsigned char *out, int *out_size);
  int (*decrypt_init)(
    void *ctx, const void *cipher, void *engine, const unsigned char *key, const unsigned char *nonce
  );
  int (*decrypt_update)(void *ctx, unsigned char *out, int *out_size, const unsigned char *in, int size);
  int (*decrypt_final)(void *ctx, unsigned char *out, int *out_size);
  const void *(*aes_256_gcm)(void);
  const void *(*aes_256_wrap)(void);
  int (*random)(unsigned char *bytes, int size);
} crypto;

// Constants of OpenSSL's <openssl/evp.h>.
enum { GET_TAG = 0x10, SET_TAG = 0x11, WRAP_ALLOW = 0x1 };

static char failure[256];

static void load(void) {
  const TenonLibcryptoSymbol symbols[] = {
    {(void **)&crypto.ctx_new, "EVP_CIPHER_CTX_new", NULL},
    {(void **)&crypto.ctx_free, "EVP_CIPHER_CTX_free", NULL},
    {(void **)&crypto.ctx_set_flags, "EVP_CIPHER_CTX_set_flags", NULL},
    {(void **)&crypto.ctx_ctrl, "EVP_CIPHER_CTX_ctrl", NULL},
    {(void **)&crypto.encrypt_init, "EVP_EncryptInit_ex", NULL},
    {(void **)&crypto.encrypt_update, "EVP_EncryptUpdate", NULL},
    {(void **)&crypto.encrypt_final, "EVP_EncryptFinal_ex", NULL},
    {(void **)&crypto.decrypt_init, "EVP_DecryptInit_ex", NULL},
    {(void **)&crypto.decrypt_update, "EVP_DecryptUpdate", NULL},
    {(void **)&crypto.decrypt_final, "EVP_DecryptFinal_ex", NULL},
    {(void **)&crypto.aes_256_gcm, "EVP_aes_256_gcm", NULL},
    {(void **)&crypto.aes_256_wrap, "EVP_aes_256_wrap", NULL},
    {(void **)&crypto.random, "RAND_bytes", NULL},
  };
  if (!tenon_libcrypto_load(symbols, sizeof symbols / sizeof *symbols, failure, sizeof failure)) return;
  unsigned char key[32];
  Cipher *cipher = crypto.random(key, sizeof key) == 1 ? cipher_new(key) : NULL;
  cipher_erase(key, sizeof key);
  if (!cipher) snprintf(failure, sizeof failure, "it has no AES-256-GCM");
  cipher_free(cipher);
}

const char *tenon_cipher_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure[0] ? failure : NULL;
}

// Contexts of OpenSSL that have the key already, which takes longer than encrypting a page.
struct Cipher {
  void *sealing, *opening;
};

Cipher *cipher_new(const unsigned char key[32]) {
  Cipher *cipher = calloc(1, sizeof(Cipher));
  if (!cipher) return NULL;
  tenon_libcrypto_enter();
  cipher->sealing = crypto.ctx_new();
  cipher->opening = crypto.ctx_new();
  int is_ready = cipher->sealing && cipher->opening
    && crypto.encrypt_init(cipher->sealing, crypto.aes_256_gcm(), NULL, key, NULL) == 1
    && crypto.decrypt_init(cipher->opening, crypto.aes_256_gcm(), NULL, key, NULL) == 1;
  tenon_libcrypto_leave();
  if (is_ready) return cipher;
  cipher_free(cipher);
  return NULL;
}

void cipher_free(Cipher *cipher) {
  if (!cipher) return;
  tenon_libcrypto_enter();
  crypto.ctx_free(cipher->sealing);
  crypto.ctx_free(cipher->opening);
  tenon_libcrypto_leave();
  free(cipher);
}

int cipher_seal(
  Cipher *cipher, const unsigned char *nonce, const unsigned char *additional, size_t additional_size,
  const unsigned char *in, unsigned char *out, size_t size, unsigned char *tag
) {
  void *ctx = cipher->sealing;
  int count = 0;
  tenon_libcrypto_enter();
  int is_done = crypto.encrypt_init(ctx, NULL, NULL, NULL, nonce) == 1
    && crypto.encrypt_update(ctx, NULL, &count, additional, (int)additional_size) == 1
    && crypto.encrypt_update(ctx, out, &count, in, (int)size) == 1
    && crypto.encrypt_final(ctx, out + count, &count) == 1
    && crypto.ctx_ctrl(ctx, GET_TAG, CIPHER_TAG_SIZE, tag) == 1;
  tenon_libcrypto_leave();
  return is_done;
}

int cipher_open(
  Cipher *cipher, const unsigned char *nonce, const unsigned char *additional, size_t additional_size,
  const unsigned char *in, unsigned char *out, size_t size, const unsigned char *tag
) {
  void *ctx = cipher->opening;
  int count = 0;
  tenon_libcrypto_enter();
  int is_done = crypto.decrypt_init(ctx, NULL, NULL, NULL, nonce) == 1
    && crypto.decrypt_update(ctx, NULL, &count, additional, (int)additional_size) == 1
    && crypto.decrypt_update(ctx, out, &count, in, (int)size) == 1
    && crypto.ctx_ctrl(ctx, SET_TAG, CIPHER_TAG_SIZE, (void *)tag) == 1
    && crypto.decrypt_final(ctx, out + count, &count) == 1;
  tenon_libcrypto_leave();
  return is_done;
}

int cipher_wrap(const unsigned char wrapping_key[32], const unsigned char key[32], unsigned char *wrapped) {
  int count = 0;
  // OpenSSL may write a block more than it returns.
  unsigned char out[CIPHER_WRAPPED_SIZE + 16];
  tenon_libcrypto_enter();
  void *ctx = crypto.ctx_new();
  if (ctx) crypto.ctx_set_flags(ctx, WRAP_ALLOW);
  int is_done = ctx && crypto.encrypt_init(ctx, crypto.aes_256_wrap(), NULL, wrapping_key, NULL) == 1
    && crypto.encrypt_update(ctx, out, &count, key, 32) == 1 && count == CIPHER_WRAPPED_SIZE;
  crypto.ctx_free(ctx);
  tenon_libcrypto_leave();
  if (is_done) memcpy(wrapped, out, CIPHER_WRAPPED_SIZE);
  return is_done;
}

int cipher_unwrap(const unsigned char wrapping_key[32], const unsigned char *wrapped, unsigned char key[32]) {
  int count = 0;
  unsigned char out[CIPHER_WRAPPED_SIZE + 16];
  tenon_libcrypto_enter();
  void *ctx = crypto.ctx_new();
  if (ctx) crypto.ctx_set_flags(ctx, WRAP_ALLOW);
  int is_done = ctx && crypto.decrypt_init(ctx, crypto.aes_256_wrap(), NULL, wrapping_key, NULL) == 1
    && crypto.decrypt_update(ctx, out, &count, wrapped, CIPHER_WRAPPED_SIZE) == 1 && count == 32;
  crypto.ctx_free(ctx);
  tenon_libcrypto_leave();
  if (is_done) memcpy(key, out, 32);
  cipher_erase(out, sizeof out);
  return is_done;
}

int cipher_random(unsigned char *bytes, size_t size) {
  tenon_libcrypto_enter();
  int is_done = crypto.random(bytes, (int)size) == 1;
  tenon_libcrypto_leave();
  return is_done;
}

#else

const char *tenon_cipher_load(void) { return "there is none on this platform"; }

// Never called, because the library can't be loaded.
Cipher *cipher_new(const unsigned char key[32]) { return NULL; }
void cipher_free(Cipher *cipher) {}
int cipher_seal(
  Cipher *cipher, const unsigned char *nonce, const unsigned char *additional, size_t additional_size,
  const unsigned char *in, unsigned char *out, size_t size, unsigned char *tag
) {
  return 0;
}
int cipher_open(
  Cipher *cipher, const unsigned char *nonce, const unsigned char *additional, size_t additional_size,
  const unsigned char *in, unsigned char *out, size_t size, const unsigned char *tag
) {
  return 0;
}
int cipher_wrap(const unsigned char wrapping_key[32], const unsigned char key[32], unsigned char *wrapped) {
  return 0;
}
int cipher_unwrap(const unsigned char wrapping_key[32], const unsigned char *wrapped, unsigned char key[32]) {
  return 0;
}
int cipher_random(unsigned char *bytes, size_t size) { return 0; }

#endif

int tenon_cipher_seal(
  const unsigned char *key, const unsigned char *nonce, const void *additional, size_t additional_size,
  const void *bytes, unsigned char *out, size_t size, unsigned char *tag
) {
  Cipher *cipher = cipher_new(key);
  int is_done = cipher && cipher_seal(cipher, nonce, additional, additional_size, bytes, out, size, tag);
  cipher_free(cipher);
  return is_done;
}

int tenon_cipher_wrap(const unsigned char *wrapping_key, const unsigned char *key, unsigned char *wrapped) {
  return cipher_wrap(wrapping_key, key, wrapped);
}
