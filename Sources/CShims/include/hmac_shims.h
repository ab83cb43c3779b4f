// HMAC-SHA256 (RFC 2104) from hash states prepared once: EVP sets up and frees a context for each message.
#ifndef FANFARE_HMAC_SHIMS_H
#define FANFARE_HMAC_SHIMS_H

#include <openssl/sha.h>
#include <stddef.h>
#include <stdint.h>

// The SHA-256 states after the padded inner key and the common beginning of the messages, and after the padded outer
// key. Both are secrets.
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

// Writes the 32-byte code of the beginning and `rest`; `state` is only read.
void c_hmac_sha256_code(const c_hmac_sha256 *state, const void *rest, size_t count, uint8_t *code);

// Writes the first eight bytes of the codes of `count` messages as big-endian numbers, several messages at a time.
// `rests` holds `rest_count` bytes for each message.
void c_hmac_sha256_short_codes(
    const c_hmac_sha256 *state,
    const uint8_t *rests,
    size_t rest_count,
    size_t count,
    uint64_t *codes
);

void c_hmac_sha256_wipe(c_hmac_sha256 *state);

#endif
