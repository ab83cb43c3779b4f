#include "p256_shims.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>

static char group_name[] = SN_X9_62_prime256v1;

static EVP_PKEY *from_parameters(int selection, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (context == NULL || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, selection, parameters) != 1) {
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    return key;
}

EVP_PKEY *c_evp_p256_public(const uint8_t *point) {
    // Of the point forms with 65 bytes, only the uncompressed one begins with 4.
    if (point[0] != POINT_CONVERSION_UNCOMPRESSED) {
        return NULL;
    }
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group_name, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, C_P256_POINT_BYTES),
        OSSL_PARAM_construct_end(),
    };
    return from_parameters(EVP_PKEY_PUBLIC_KEY, parameters);
}

// Computes the public point of a private key; 0 when the key is invalid.
static int multiply(const BIGNUM *scalar, uint8_t *point) {
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    EC_POINT *product = group == NULL ? NULL : EC_POINT_new(group);
    int made = product != NULL && !BN_is_zero(scalar) && BN_cmp(scalar, EC_GROUP_get0_order(group)) < 0 &&
               EC_POINT_mul(group, product, scalar, NULL, NULL, NULL) == 1 &&
               EC_POINT_point2oct(group, product, POINT_CONVERSION_UNCOMPRESSED, point, C_P256_POINT_BYTES, NULL) ==
                   C_P256_POINT_BYTES;
    EC_POINT_free(product);
    EC_GROUP_free(group);
    return made;
}

EVP_PKEY *c_evp_p256_private(const uint8_t *scalar) {
    uint8_t point[C_P256_POINT_BYTES];
    uint8_t native[C_P256_SCALAR_BYTES];
    EVP_PKEY *key = NULL;
    BIGNUM *number = BN_secure_new();
    if (number != NULL && BN_bin2bn(scalar, C_P256_SCALAR_BYTES, number) != NULL && multiply(number, point) &&
        BN_bn2nativepad(number, native, sizeof native) == sizeof native) {
        OSSL_PARAM parameters[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group_name, 0),
            OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point),
            OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native, sizeof native),
            OSSL_PARAM_construct_end(),
        };
        key = from_parameters(EVP_PKEY_KEYPAIR, parameters);
    }
    OPENSSL_cleanse(native, sizeof native);
    BN_clear_free(number);
    return key;
}

int c_evp_p256_point(const EVP_PKEY *key, uint8_t *point) {
    size_t count = 0;
    return EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, point, C_P256_POINT_BYTES,
                                           &count) == 1 &&
           count == C_P256_POINT_BYTES && point[0] == POINT_CONVERSION_UNCOMPRESSED;
}

int c_evp_p256_scalar(const EVP_PKEY *key, uint8_t *scalar) {
    BIGNUM *number = NULL;
    int made = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1 &&
               BN_bn2binpad(number, scalar, C_P256_SCALAR_BYTES) == C_P256_SCALAR_BYTES;
    BN_clear_free(number);
    return made;
}

int c_evp_p256_set_point(EVP_PKEY *key, const uint8_t *point) {
    return point[0] == POINT_CONVERSION_UNCOMPRESSED &&
           EVP_PKEY_set1_encoded_public_key(key, point, C_P256_POINT_BYTES) == 1;
}

EVP_PKEY_CTX *c_evp_p256_generator(void) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (context != NULL &&
        (EVP_PKEY_keygen_init(context) != 1 || EVP_PKEY_CTX_set_group_name(context, group_name) != 1)) {
        EVP_PKEY_CTX_free(context);
        context = NULL;
    }
    return context;
}
