// libssl as the TLS files of the EventLoop folder use it: function-like macros, and callbacks that need nothing of Swift.
#ifndef TIFFIN_COPENSSL_TLS_H
#define TIFFIN_COPENSSL_TLS_H

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <string.h>

// What holds for both ends: TLS 1.2 and 1.3, forward secrecy and authenticated encryption only, no compression, no
// renegotiation, and no buffers for a connection that is idle. 1 when all of it was taken.
static inline int tiffin_tls_configure(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
        && SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384") == 1
        && SSL_CTX_set_cipher_list(context,
            "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
            "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305") == 1;
}

// The one protocol of the server. A client that names protocols and not this one speaks something else (RFC 7301
// section 3.2: no_application_protocol).
static inline int tiffin_tls_select_http11(
    SSL *ssl, const unsigned char **selected, unsigned char *length, const unsigned char *offered, unsigned int count,
    void *argument) {
    static const unsigned char http11[] = "\x08http/1.1";
    (void)ssl;
    (void)argument;
    return SSL_select_next_proto((unsigned char **)selected, length, http11, 9, offered, count)
            == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// Resumption by tickets alone: the server remembers nothing, and the keys of the tickets live and die with the context.
static inline int tiffin_tls_configure_server(SSL_CTX *context) {
    static const unsigned char name[] = "tiffin-live";
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_timeout(context, 2 * 60 * 60);
    SSL_CTX_set_alpn_select_cb(context, tiffin_tls_select_http11, NULL);
    return SSL_CTX_set_num_tickets(context, 1) == 1
        && SSL_CTX_set_session_id_context(context, name, sizeof(name) - 1) == 1;
}

static inline void tiffin_tls_configure_client(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
}

// A key under a pass phrase is refused; without this libcrypto would ask for one on the terminal.
static inline int tiffin_no_password(char *buffer, int size, int writing, void *wasAsked) {
    (void)buffer;
    (void)size;
    (void)writing;
    if (wasAsked != NULL) *(int *)wasAsked = 1;
    return -1;
}

static inline BIO *tiffin_bio_over(const void *bytes, size_t count) {
    return count > INT_MAX ? NULL : BIO_new_mem_buf(bytes, (int)count);
}

// Whether reading PEM ended because no further block is there, which is no error.
static inline int tiffin_pem_ended(void) {
    unsigned long code = ERR_peek_last_error();
    return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

static inline int tiffin_tls_add_chain(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add1_chain_cert(context, certificate) == 1;
}

// The end of a certificate's life in seconds since 1970; 0 when it cannot be told.
static inline long long tiffin_certificate_end(const X509 *certificate) {
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    int days = 0, seconds = 0;
    int known = epoch != NULL && ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(certificate)) == 1;
    ASN1_TIME_free(epoch);
    return known ? days * 86400LL + seconds : 0;
}

static inline int tiffin_tls_set_server_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name) == 1;
}

static inline int tiffin_error_library(unsigned long code) { return ERR_GET_LIB(code); }
static inline int tiffin_error_reason(unsigned long code) { return ERR_GET_REASON(code); }

// A BIO whose callbacks are given: how a connection's records come in and go out.
static inline BIO_METHOD *tiffin_bio_method(
    int (*read)(BIO *, char *, int), int (*write)(BIO *, const char *, int), long (*control)(BIO *, int, long, void *)) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "records");
    if (method == NULL) return NULL;
    BIO_meth_set_read(method, read);
    BIO_meth_set_write(method, write);
    BIO_meth_set_ctrl(method, control);
    return method;
}

// Nothing to read now, but there may be later.
static inline void tiffin_bio_wants_read(BIO *bio) {
    BIO_clear_retry_flags(bio);
    BIO_set_retry_read(bio);
}

static inline void tiffin_bio_is_ready(BIO *bio) {
    BIO_clear_retry_flags(bio);
}

#endif
