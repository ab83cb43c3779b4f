// OpenSSL 3 calls these functions deprecated in favour of EVP, which cannot copy a state without allocating.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "hmac_shims.h"
#include "sha256_lanes.h"

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

static uint64_t number(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return __builtin_bswap64(value);
}

// Starts every lane from an OpenSSL state.
static void spread(const SHA256_CTX *from, uint32_t lanes[8][C_SHA256_LANES]) {
    for (int word = 0; word < 8; word++) {
        for (int lane = 0; lane < C_SHA256_LANES; lane++) {
            lanes[word][lane] = from->h[word];
        }
    }
}

// Codes of up to C_SHA256_LANES messages, each of which ends within the block that `inner` has begun.
static void lane_codes(
    const c_hmac_sha256 *state,
    const uint8_t *rests,
    size_t rest_count,
    size_t count,
    uint64_t *codes
) {
    uint32_t lanes[8][C_SHA256_LANES];
    uint32_t block[16][C_SHA256_LANES];
    size_t begun = state->inner.num;
    uint8_t bytes[SHA256_CBLOCK] = {0};
    memcpy(bytes, state->inner.data, begun);
    bytes[begun + rest_count] = 0x80;
    // OpenSSL's count of absorbed bits includes the key's block.
    uint64_t absorbed = (uint64_t)state->inner.Nh << 32 | state->inner.Nl;
    uint64_t bits = __builtin_bswap64(absorbed + 8 * rest_count);
    memcpy(bytes + SHA256_CBLOCK - sizeof bits, &bits, sizeof bits);
    for (size_t lane = 0; lane < C_SHA256_LANES; lane++) {
        // Unused lanes process the last message again.
        memcpy(bytes + begun, rests + rest_count * (lane < count ? lane : count - 1), rest_count);
        for (int word = 0; word < 16; word++) {
            uint32_t value;
            memcpy(&value, bytes + 4 * word, sizeof value);
            block[word][lane] = __builtin_bswap32(value);
        }
    }
    spread(&state->inner, lanes);
    c_sha256_lanes_compress(lanes, (const uint32_t(*)[C_SHA256_LANES])block);

    memset(block, 0, sizeof block);
    memcpy(block, lanes, sizeof lanes);
    for (int lane = 0; lane < C_SHA256_LANES; lane++) {
        block[8][lane] = 0x80000000;
        block[15][lane] = 8 * (SHA256_CBLOCK + SHA256_DIGEST_LENGTH);
    }
    spread(&state->outer, lanes);
    c_sha256_lanes_compress(lanes, (const uint32_t(*)[C_SHA256_LANES])block);
    for (size_t lane = 0; lane < count; lane++) {
        codes[lane] = (uint64_t)lanes[0][lane] << 32 | lanes[1][lane];
    }
    OPENSSL_cleanse(lanes, sizeof lanes);
}

void c_hmac_sha256_short_codes(
    const c_hmac_sha256 *state,
    const uint8_t *rests,
    size_t rest_count,
    size_t count,
    uint64_t *codes
) {
    // The padding takes at least nine bytes (FIPS 180-4, 5.1.1); messages that need another block take the slow path.
    int fits = state->inner.num + rest_count + 9 <= SHA256_CBLOCK;
    for (size_t done = 0; done < count;) {
        const uint8_t *next = rests + done * rest_count;
        if (fits) {
            size_t group = count - done < C_SHA256_LANES ? count - done : C_SHA256_LANES;
            lane_codes(state, next, rest_count, group, codes + done);
            done += group;
        } else {
            uint8_t code[SHA256_DIGEST_LENGTH];
            c_hmac_sha256_code(state, next, rest_count, code);
            codes[done] = number(code);
            done += 1;
        }
    }
}

void c_hmac_sha256_wipe(c_hmac_sha256 *state) {
    OPENSSL_cleanse(state, sizeof *state);
}
