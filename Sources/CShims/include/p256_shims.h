// P-256 keys from raw bytes: OpenSSL 3 takes them as lists of parameters whose memory must outlive each step.
#ifndef FANFARE_P256_SHIMS_H
#define FANFARE_P256_SHIMS_H

#include <openssl/evp.h>
#include <stdint.h>

#define C_P256_SCALAR_BYTES 32
#define C_P256_POINT_BYTES 65

// A public key from an uncompressed point (SEC 1, 2.3.3); NULL when the point is not on the curve.
EVP_PKEY *c_evp_p256_public(const uint8_t *point);

// A key pair from a big-endian private key; NULL when it is 0 or not below the group's order.
EVP_PKEY *c_evp_p256_private(const uint8_t *scalar);

// The public half as an uncompressed point; 0 on failure.
int c_evp_p256_point(const EVP_PKEY *key, uint8_t *point);

// The private key, big-endian; 0 on failure.
int c_evp_p256_scalar(const EVP_PKEY *key, uint8_t *scalar);

// Gives a public key another point; 0 when the point is not on the curve.
int c_evp_p256_set_point(EVP_PKEY *key, const uint8_t *point);

// Creates a context that generates any number of keys; NULL on failure.
EVP_PKEY_CTX *c_evp_p256_generator(void);

#endif
