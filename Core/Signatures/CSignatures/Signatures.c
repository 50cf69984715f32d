#include "CSignatures.h"

#include <TenonLibcrypto.h>

void tenon_erase(uint8_t *bytes, size_t size) { tenon_libcrypto_erase(bytes, size); }

#if defined(__linux__) && !defined(__ANDROID__)

#include <limits.h>
#include <pthread.h>
#include <stdio.h>

// The functions of libcrypto.
static struct {
  void *(*read_public)(void **key, const unsigned char **bytes, long size);
  void *(*read_private)(void **key, const unsigned char **bytes, long size);
  void (*key_free)(void *key);
  int (*key_type)(const void *key);
  int (*key_bits)(const void *key);
  void *(*ctx_new)(void);
  void (*ctx_free)(void *ctx);
  const void *(*sha256)(void);
  int (*verify_init)(void *ctx, void **key_ctx, const void *digest, void *engine, void *key);
  int (*verify)(
    void *ctx, const unsigned char *signature, size_t signature_size, const unsigned char *message,
    size_t message_size
  );
  int (*sign_init)(void *ctx, void **key_ctx, const void *digest, void *engine, void *key);
  int (*sign)(
    void *ctx, unsigned char *signature, size_t *signature_size, const unsigned char *message,
    size_t message_size
  );
  void *(*key_ctx_new)(int type, void *engine);
  void (*key_ctx_free)(void *ctx);
  int (*generate_init)(void *ctx);
  int (*generate_option)(void *ctx, const char *name, const char *value);
  int (*generate)(void *ctx, void **key);
  int (*write_public)(const void *key, unsigned char **bytes);
  int (*write_private)(const void *key, unsigned char **bytes);
  void (*clear_errors)(void);
} crypto;

// The types of keys (NID_rsaEncryption and NID_X9_62_id_ecPublicKey of <openssl/obj_mac.h>).
static int type_of(TenonKeyKind kind) { return kind == TENON_KEY_RSA ? 6 : 408; }

static char failure[256];

static void load(void) {
  const TenonLibcryptoSymbol symbols[] = {
    {(void **)&crypto.read_public, "d2i_PUBKEY", NULL},
    {(void **)&crypto.read_private, "d2i_AutoPrivateKey", NULL},
    {(void **)&crypto.key_free, "EVP_PKEY_free", NULL},
    {(void **)&crypto.key_type, "EVP_PKEY_get_base_id", "EVP_PKEY_base_id"},
    {(void **)&crypto.key_bits, "EVP_PKEY_get_bits", "EVP_PKEY_bits"},
    {(void **)&crypto.ctx_new, "EVP_MD_CTX_new", NULL},
    {(void **)&crypto.ctx_free, "EVP_MD_CTX_free", NULL},
    {(void **)&crypto.sha256, "EVP_sha256", NULL},
    {(void **)&crypto.verify_init, "EVP_DigestVerifyInit", NULL},
    {(void **)&crypto.verify, "EVP_DigestVerify", NULL},
    {(void **)&crypto.sign_init, "EVP_DigestSignInit", NULL},
    {(void **)&crypto.sign, "EVP_DigestSign", NULL},
    {(void **)&crypto.key_ctx_new, "EVP_PKEY_CTX_new_id", NULL},
    {(void **)&crypto.key_ctx_free, "EVP_PKEY_CTX_free", NULL},
    {(void **)&crypto.generate_init, "EVP_PKEY_keygen_init", NULL},
    {(void **)&crypto.generate_option, "EVP_PKEY_CTX_ctrl_str", NULL},
    {(void **)&crypto.generate, "EVP_PKEY_keygen", NULL},
    {(void **)&crypto.write_public, "i2d_PUBKEY", NULL},
    {(void **)&crypto.write_private, "i2d_PrivateKey", NULL},
    {(void **)&crypto.clear_errors, "ERR_clear_error", NULL},
  };
  tenon_libcrypto_load(symbols, sizeof symbols / sizeof *symbols, failure, sizeof failure);
}

const char *tenon_signatures_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure[0] ? failure : NULL;
}

static uintptr_t read_key(
  void *(*read)(void **key, const unsigned char **bytes, long size), TenonKeyKind kind, const uint8_t *bytes,
  size_t size
) {
  if (size > LONG_MAX) return 0;
  const unsigned char *next = bytes;
  tenon_libcrypto_enter();
  void *key = read(NULL, &next, (long)size);
  // Nothing may follow the key.
  if (key && (next != bytes + size || crypto.key_type(key) != type_of(kind))) {
    crypto.key_free(key);
    key = NULL;
  }
  crypto.clear_errors();
  tenon_libcrypto_leave();
  return (uintptr_t)key;
}

uintptr_t tenon_public_key(TenonKeyKind kind, const uint8_t *bytes, size_t size) {
  return read_key(crypto.read_public, kind, bytes, size);
}

uintptr_t tenon_private_key(TenonKeyKind kind, const uint8_t *bytes, size_t size) {
  return read_key(crypto.read_private, kind, bytes, size);
}

uintptr_t tenon_generate_rsa(void) {
  tenon_libcrypto_enter();
  void *key = NULL;
  void *ctx = crypto.key_ctx_new(type_of(TENON_KEY_RSA), NULL);
  int is_done = ctx && crypto.generate_init(ctx) == 1
    && crypto.generate_option(ctx, "rsa_keygen_bits", "2048") == 1 && crypto.generate(ctx, &key) == 1;
  if (ctx) crypto.key_ctx_free(ctx);
  if (!is_done) crypto.clear_errors();
  tenon_libcrypto_leave();
  return is_done ? (uintptr_t)key : 0;
}

static int write_key(
  int (*write)(const void *key, unsigned char **bytes), uintptr_t key, uint8_t *bytes, size_t *size
) {
  if (!key) return 0;
  tenon_libcrypto_enter();
  int needed = write((void *)key, NULL);
  int is_done = needed > 0 && (size_t)needed <= *size;
  if (is_done) {
    unsigned char *next = bytes;
    is_done = write((void *)key, &next) == needed;
    *size = (size_t)needed;
  }
  if (!is_done) crypto.clear_errors();
  tenon_libcrypto_leave();
  return is_done;
}

int tenon_write_public_key(uintptr_t key, uint8_t *bytes, size_t *size) {
  return write_key(crypto.write_public, key, bytes, size);
}

int tenon_write_private_key(uintptr_t key, uint8_t *bytes, size_t *size) {
  return write_key(crypto.write_private, key, bytes, size);
}

void tenon_key_free(uintptr_t key) {
  if (!key) return;
  tenon_libcrypto_enter();
  crypto.key_free((void *)key);
  tenon_libcrypto_leave();
}

int tenon_key_bits(uintptr_t key) {
  tenon_libcrypto_enter();
  int bits = key ? crypto.key_bits((void *)key) : 0;
  tenon_libcrypto_leave();
  return bits;
}

int tenon_verify(
  uintptr_t key, const uint8_t *message, size_t message_size, const uint8_t *signature, size_t signature_size
) {
  if (!key) return 0;
  tenon_libcrypto_enter();
  void *ctx = crypto.ctx_new();
  int is_valid = ctx && crypto.verify_init(ctx, NULL, crypto.sha256(), NULL, (void *)key) == 1
    && crypto.verify(ctx, signature, signature_size, message, message_size) == 1;
  if (ctx) crypto.ctx_free(ctx);
  // Errors of one thread stay in its queue otherwise.
  if (!is_valid) crypto.clear_errors();
  tenon_libcrypto_leave();
  return is_valid;
}

int tenon_sign(uintptr_t key, const uint8_t *message, size_t message_size, uint8_t *signature, size_t *size) {
  if (!key) return 0;
  tenon_libcrypto_enter();
  void *ctx = crypto.ctx_new();
  int is_done = ctx && crypto.sign_init(ctx, NULL, crypto.sha256(), NULL, (void *)key) == 1
    && crypto.sign(ctx, signature, size, message, message_size) == 1;
  if (ctx) crypto.ctx_free(ctx);
  if (!is_done) crypto.clear_errors();
  tenon_libcrypto_leave();
  return is_done;
}

#else

const char *tenon_signatures_load(void) { return "there is none on this platform"; }

// Never called, because the library can't be loaded.
uintptr_t tenon_public_key(TenonKeyKind kind, const uint8_t *bytes, size_t size) { return 0; }
uintptr_t tenon_private_key(TenonKeyKind kind, const uint8_t *bytes, size_t size) { return 0; }
uintptr_t tenon_generate_rsa(void) { return 0; }
int tenon_write_public_key(uintptr_t key, uint8_t *bytes, size_t *size) { return 0; }
int tenon_write_private_key(uintptr_t key, uint8_t *bytes, size_t *size) { return 0; }
void tenon_key_free(uintptr_t key) {}
int tenon_key_bits(uintptr_t key) { return 0; }
int tenon_verify(
  uintptr_t key, const uint8_t *message, size_t message_size, const uint8_t *signature, size_t signature_size
) {
  return 0;
}
int tenon_sign(uintptr_t key, const uint8_t *message, size_t message_size, uint8_t *signature, size_t *size) {
  return 0;
}

#endif
