// OpenSSL 3 calls these functions deprecated in favour of EVP, which cannot copy a state without allocating.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "hmac_shims.h"

#include <openssl/crypto.h>
#include <string.h>

static void absorb_key(SHA256_CTX *state, const uint8_t *block, uint8_t pad) {
    uint8_t padded[SHA256_CBLOCK];
    for (size_t index = 0; index < SHA256_CBLOCK; index++) {
        padded[index] = block[index] ^ pad;
    }
    SHA256_Init(state);
    SHA256_Update(state, padded, sizeof padded);
    OPENSSL_cleanse(padded, sizeof padded);
}

void c_hmac_sha256_prepare(
    c_hmac_sha256 *state,
    const uint8_t *key,
    size_t key_count,
    const uint8_t *beginning,
    size_t beginning_count
) {
    uint8_t block[SHA256_CBLOCK] = {0};
    if (key_count > SHA256_CBLOCK) {
        SHA256_CTX long_key;
        SHA256_Init(&long_key);
        SHA256_Update(&long_key, key, key_count);
        SHA256_Final(block, &long_key);
        OPENSSL_cleanse(&long_key, sizeof long_key);
    } else if (key_count > 0) {
        memcpy(block, key, key_count);
    }
    absorb_key(&state->inner, block, 0x36);
    absorb_key(&state->outer, block, 0x5c);
    OPENSSL_cleanse(block, sizeof block);
    SHA256_Update(&state->inner, beginning, beginning_count);
}

void c_hmac_sha256_code(const c_hmac_sha256 *state, const void *rest, size_t count, uint8_t *code) {
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256_CTX running = state->inner;
    SHA256_Update(&running, rest, count);
    SHA256_Final(digest, &running);
    running = state->outer;
    SHA256_Update(&running, digest, sizeof digest);
    SHA256_Final(code, &running);
}

void c_hmac_sha256_wipe(c_hmac_sha256 *state) {
    OPENSSL_cleanse(state, sizeof *state);
}
