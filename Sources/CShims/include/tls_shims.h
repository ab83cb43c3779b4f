// OpenSSL's macros and variadics as functions, and a BIO over lent memory.
#ifndef FANFARE_TLS_SHIMS_H
#define FANFARE_TLS_SHIMS_H

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stddef.h>
#include <stdint.h>

// A BIO without a buffer of its own. Reads come from memory that the caller lends for one call; writes go into memory
// that the caller lends, and the excess is kept in `spill` until it is drained. Owned by its BIO and freed with it.
// Confined to the thread of its SSL.
typedef struct c_tls_pipe {
    const uint8_t *in;
    size_t in_count;
    uint8_t *out;
    size_t out_capacity;
    size_t out_count;
    uint8_t *spill;
    size_t spill_start;
    size_t spill_count;
    size_t spill_capacity;
} c_tls_pipe;

// Gives `ssl` a new pipe BIO for both directions; NULL when out of memory.
c_tls_pipe *c_tls_pipe_attach(SSL *ssl);

// ALPN in wire form (length-prefixed names); `protocols` must outlive the context.
// A client that offers none of them gets the alert no_application_protocol.
typedef struct c_tls_alpn {
    const uint8_t *protocols;
    unsigned int count;
} c_tls_alpn;
void c_tls_ctx_select_alpn(SSL_CTX *context, c_tls_alpn *alpn);

// Never asks the terminal for a passphrase: an encrypted key is simply unreadable.
int c_tls_no_passphrase(char *buffer, int size, int rwflag, void *user_data);

static inline int c_tls_ctx_set_min_version_1_2(SSL_CTX *context) {
    return (int)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

static inline void c_tls_ctx_set_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

static inline void c_tls_ctx_set_no_renegotiation(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
}

// Makes sessions resumable by tickets alone. The name restricts a ticket to contexts of this kind; OpenSSL requires one
// where client certificates are verified.
static inline int c_tls_ctx_resume_by_tickets(SSL_CTX *context) {
    static const unsigned char name[] = "fanfare";
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 1);
    return SSL_CTX_set_session_id_context(context, name, sizeof name - 1);
}

static inline int c_tls_ctx_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int c_tls_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline X509 *c_tls_copy_peer_certificate(const SSL *ssl) {
    return SSL_get1_peer_certificate(ssl);
}

static inline EVP_PKEY *c_evp_generate_p256(void) {
    return EVP_EC_gen("P-256");
}

static inline EVP_PKEY *c_evp_generate_rsa(size_t bits) {
    return EVP_RSA_gen(bits);
}

static inline size_t c_bio_memory(BIO *bio, const uint8_t **bytes) {
    char *start = NULL;
    long count = BIO_get_mem_data(bio, &start);
    *bytes = (const uint8_t *)start;
    return count < 0 ? 0 : (size_t)count;
}

// Adds one extension that needs no certificate but the issuer's; 0 on failure.
static inline int c_x509_add_extension(X509 *certificate, X509 *issuer, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    if (extension == NULL) {
        return 0;
    }
    int added = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

#endif
