// libcrypto as the Crypto folder uses it. Function-like macros and variadic functions, which Swift cannot see, get an
// inline function here; so does what would otherwise allocate a context on every call.
#ifndef TIFFIN_COPENSSL_SHIM_H
#define TIFFIN_COPENSSL_SHIM_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

// One digest context for each thread that hashes, made on first use and kept for the thread's life.
// 1 when `output` holds the digest.
static inline int tiffin_digest(const EVP_MD *algorithm, const void *bytes, size_t count, unsigned char *output) {
    static _Thread_local EVP_MD_CTX *context;
    if (algorithm == NULL) return 0;
    if (context == NULL && (context = EVP_MD_CTX_new()) == NULL) return 0;
    return EVP_DigestInit_ex2(context, algorithm, NULL) == 1 && EVP_DigestUpdate(context, bytes, count) == 1
        && EVP_DigestFinal_ex(context, output, NULL) == 1;
}

// An HMAC context that holds its key; free with EVP_MAC_CTX_free. NULL when the digest is not there.
static inline EVP_MAC_CTX *tiffin_hmac_new(const char *digest, const unsigned char *key, size_t count) {
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
    OSSL_PARAM parameters[2];
    EVP_MAC_free(mac);  // the context holds a reference of its own
    if (context == NULL) return NULL;
    parameters[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0);
    parameters[1] = OSSL_PARAM_construct_end();
    if (EVP_MAC_init(context, key, count, parameters) == 1) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

// The tag of `bytes` under the key that the context holds. The length of the tag, or 0.
static inline size_t tiffin_hmac(
    EVP_MAC_CTX *context, const void *bytes, size_t count, unsigned char *output, size_t capacity) {
    size_t length = 0;
    if (EVP_MAC_init(context, NULL, 0, NULL) != 1 || EVP_MAC_update(context, bytes, count) != 1
        || EVP_MAC_final(context, output, &length, capacity) != 1) return 0;
    return length;
}

static inline EVP_PKEY *tiffin_generate_rsa(size_t bits) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", bits);
}

static inline EVP_PKEY *tiffin_generate_ec(const char *curve) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", curve);
}

static inline EVP_PKEY *tiffin_generate_ed25519(void) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
}

// A key from what `builder` lists; both the builder and its failure are done with here. NULL when refused.
static inline EVP_PKEY *tiffin_key_from(OSSL_PARAM_BLD *builder, int complete, const char *type, int selection) {
    OSSL_PARAM *parameters = complete ? OSSL_PARAM_BLD_to_param(builder) : NULL;
    EVP_PKEY_CTX *context = parameters != NULL ? EVP_PKEY_CTX_new_from_name(NULL, type, NULL) : NULL;
    EVP_PKEY *key = NULL;
    if (context != NULL && EVP_PKEY_fromdata_init(context) == 1
        && EVP_PKEY_fromdata(context, &key, selection, parameters) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

// The parameter of an RSA number, in the order n, e, d, p, q, dp, dq, qi (RFC 7518 section 6.3). A builder keeps names
// by address, so they are literals here and not Swift strings.
static inline const char *tiffin_rsa_parameter(size_t index) {
    static const char *const names[8] = {
        OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_FACTOR1,
        OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2,
        OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    return names[index & 7];
}

// The first two of these numbers make a public key, all eight a private one.
static inline EVP_PKEY *tiffin_rsa_key(const BIGNUM *const *numbers, size_t count) {
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    int complete = builder != NULL && (count == 2 || count == 8);
    size_t index;
    for (index = 0; complete && index < count; index++)
        complete = numbers[index] != NULL && OSSL_PARAM_BLD_push_BN(builder, tiffin_rsa_parameter(index), numbers[index]) == 1;
    return tiffin_key_from(builder, complete, "RSA", count == 8 ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY);
}

// `point` is the uncompressed form (SEC 1 section 2.3.3), `secret` the private number or NULL.
static inline EVP_PKEY *tiffin_ec_key(
    const char *group, const unsigned char *point, size_t count, const BIGNUM *secret) {
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    int complete = builder != NULL
        && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, group, 0) == 1
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, count) == 1
        && (secret == NULL || OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, secret) == 1);
    return tiffin_key_from(builder, complete, "EC", secret != NULL ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY);
}

// 1 when the public part is valid (for EC: on the curve, not infinity).
static inline int tiffin_public_check(EVP_PKEY *key) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int status = context != NULL && EVP_PKEY_public_check(context) == 1;
    EVP_PKEY_CTX_free(context);
    return status;
}

// 1 when the private part belongs to the public one.
static inline int tiffin_pair_check(EVP_PKEY *key) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int status = context != NULL && EVP_PKEY_pairwise_check(context) == 1;
    EVP_PKEY_CTX_free(context);
    return status;
}

#endif
