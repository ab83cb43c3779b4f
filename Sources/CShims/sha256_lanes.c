#include "sha256_lanes.h"

// Vector extensions of the compiler, which it maps to the processor's instructions. Where the processor is determined
// at run time, there is a version for each kind; AVX-512's `vprord` alone saves a third. Not under the thread
// sanitizer: the resolver functions would call it before the loader has initialized it.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ONE_FOR_ALL_PROCESSORS
#endif
#endif
#if defined(__x86_64__) && defined(__linux__) && !defined(ONE_FOR_ALL_PROCESSORS)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx512vl", "avx2", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

typedef uint32_t lanes __attribute__((vector_size(4 * C_SHA256_LANES)));

// FIPS 180-4, 4.2.2
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define ROTATE(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

FOR_EACH_PROCESSOR
void c_sha256_lanes_compress(uint32_t state[8][C_SHA256_LANES], const uint32_t block[16][C_SHA256_LANES]) {
    lanes words[16];
    __builtin_memcpy(words, block, sizeof words);
    lanes start[8];
    __builtin_memcpy(start, state, sizeof start);
    lanes a = start[0], b = start[1], c = start[2], d = start[3];
    lanes e = start[4], f = start[5], g = start[6], h = start[7];
    for (int round = 0; round < 64; round++) {
        lanes word = words[round & 15];
        if (round >= 16) {
            lanes early = words[(round + 1) & 15], late = words[(round + 14) & 15];
            word += ROTATE(early, 7) ^ ROTATE(early, 18) ^ (early >> 3);
            word += ROTATE(late, 17) ^ ROTATE(late, 19) ^ (late >> 10);
            word += words[(round + 9) & 15];
            words[round & 15] = word;
        }
        lanes first = h + (ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25)) + (g ^ (e & (f ^ g))) + word + constants[round];
        lanes second = (ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22)) + ((a & b) | (c & (a | b)));
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    lanes end[8] = {a, b, c, d, e, f, g, h};
    for (int word = 0; word < 8; word++) {
        end[word] += start[word];
    }
    __builtin_memcpy(state, end, sizeof end);
}
