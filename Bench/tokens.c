// Makes a throw-away ES256 key and many tokens of different riders signed with it: faster than a process for each.
//
//     tokens FOLDER COUNT      writes FOLDER/keys.json (the public JWKS) and FOLDER/tokens.txt (one a line, one hour)
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void need(int good, const char *what) {
    if (good) return;
    fprintf(stderr, "tokens: %s failed\n", what);
    exit(1);
}

// Base64url without padding (RFC 7515 section 2); returns the length.
static size_t encode(char *to, const unsigned char *bytes, size_t count) {
    size_t length = (size_t)EVP_EncodeBlock((unsigned char *)to, bytes, (int)count);
    while (length && to[length - 1] == '=') length--;
    for (size_t i = 0; i < length; i++) {
        if (to[i] == '+') to[i] = '-';
        if (to[i] == '/') to[i] = '_';
    }
    to[length] = 0;
    return length;
}

static FILE *create(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    need(file != NULL, path);
    return file;
}

static void write_key(EVP_PKEY *key, FILE *file) {
    unsigned char point[65];
    size_t length = 0;
    need(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point, &length) && length == 65,
         "reading the public key");
    char x[48], y[48];
    encode(x, point + 1, 32);
    encode(y, point + 33, 32);
    fprintf(file,
            "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"alg\":\"ES256\",\"use\":\"sig\",\"kid\":\"bench\","
            "\"x\":\"%s\",\"y\":\"%s\"}]}\n", x, y);
}

// A JWS signature is r and s as they are, not the DER that OpenSSL makes (RFC 7518 section 3.4).
static void sign(EVP_PKEY *key, const char *text, size_t length, unsigned char raw[64]) {
    unsigned char der[80];
    size_t count = sizeof der;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    need(context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
         EVP_DigestSign(context, der, &count, (const unsigned char *)text, length) == 1, "signing");
    EVP_MD_CTX_free(context);
    const unsigned char *cursor = der;
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &cursor, (long)count);
    need(signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, 32) == 32 &&
         BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + 32, 32) == 32, "reading a signature");
    ECDSA_SIG_free(signature);
}

int main(int argc, char **argv) {
    int count = argc == 3 ? atoi(argv[2]) : 0;
    if (count < 1) {
        fputs("usage: tokens FOLDER COUNT\n", stderr);
        return 2;
    }
    EVP_PKEY *key = EVP_EC_gen("P-256");
    need(key != NULL, "making a key");
    FILE *keys = create(argv[1], "keys.json"), *tokens = create(argv[1], "tokens.txt");
    write_key(key, keys);
    static const char header[] = "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"bench\"}";
    long now = (long)time(NULL);
    for (int i = 0; i < count; i++) {
        char claims[256], text[1024];
        unsigned char raw[64];
        int length = snprintf(claims, sizeof claims, "{\"sub\":\"%d\",\"role\":\"rider\",\"iat\":%ld,\"exp\":%ld}",
                              100000 + i, now, now + 3590);
        size_t end = encode(text, (const unsigned char *)header, sizeof header - 1);
        text[end++] = '.';
        end += encode(text + end, (const unsigned char *)claims, (size_t)length);
        sign(key, text, end, raw);
        text[end++] = '.';
        encode(text + end, raw, sizeof raw);
        fprintf(tokens, "%s\n", text);
    }
    EVP_PKEY_free(key);
    need(!fclose(keys) && !fclose(tokens), "writing");
    return 0;
}
