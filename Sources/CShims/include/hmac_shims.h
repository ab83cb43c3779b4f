// HMAC-SHA256 (RFC 2104) from hash states that are prepared once: EVP sets up and frees a context for each message.
#ifndef FANFARE_HMAC_SHIMS_H
#define FANFARE_HMAC_SHIMS_H

#include <openssl/sha.h>
#include <stddef.h>
#include <stdint.h>

// SHA-256 after the padded key and the beginning of every message, and after the key padded for the outer hash: secrets.
typedef struct c_hmac_sha256 {
    SHA256_CTX inner;
    SHA256_CTX outer;
} c_hmac_sha256;

void c_hmac_sha256_prepare(
    c_hmac_sha256 *state,
    const uint8_t *key,
    size_t key_count,
    const uint8_t *beginning,
    size_t beginning_count
);

// The 32 bytes of the code of the beginning and `rest`; `state` is only read.
void c_hmac_sha256_code(const c_hmac_sha256 *state, const void *rest, size_t count, uint8_t *code);

void c_hmac_sha256_wipe(c_hmac_sha256 *state);

#endif
