// Makes a throw-away ES256 key and many tokens of different riders signed with it: faster than a process for each.
//
//     tokens FOLDER COUNT [DEAD]   writes FOLDER/keys.json (the public JWKS), FOLDER/tokens.txt (one a line, one hour) and,
//                                  when DEAD is given, as many that have expired into FOLDER/dead.txt
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

// Tokens of different riders that live from `issued` to `end`, one a line.
static void write_tokens(EVP_PKEY *key, const char *folder, const char *name, int count, long issued, long end) {
    static const char header[] = "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"bench\"}";
    FILE *file = create(folder, name);
    for (int i = 0; i < count; i++) {
        char claims[256], text[1024];
        unsigned char raw[64];
        int length = snprintf(claims, sizeof claims, "{\"sub\":\"%d\",\"role\":\"rider\",\"iat\":%ld,\"exp\":%ld}",
                              100000 + i, issued, end);
        size_t size = encode(text, (const unsigned char *)header, sizeof header - 1);
        text[size++] = '.';
        size += encode(text + size, (const unsigned char *)claims, (size_t)length);
        sign(key, text, size, raw);
        text[size++] = '.';
        encode(text + size, raw, sizeof raw);
        fprintf(file, "%s\n", text);
    }
    need(!fclose(file), "writing");
}

int main(int argc, char **argv) {
    int count = argc >= 3 ? atoi(argv[2]) : 0, dead = argc == 4 ? atoi(argv[3]) : 0;
    if (count < 1 || dead < 0 || argc > 4) {
        fputs("usage: tokens FOLDER COUNT [DEAD]\n", stderr);
        return 2;
    }
    EVP_PKEY *key = EVP_EC_gen("P-256");
    need(key != NULL, "making a key");
    FILE *keys = create(argv[1], "keys.json");
    write_key(key, keys);
    need(!fclose(keys), "writing");
    long now = (long)time(NULL);
    write_tokens(key, argv[1], "tokens.txt", count, now, now + 3590);
    if (dead) write_tokens(key, argv[1], "dead.txt", dead, now - 900, now - 10);
    EVP_PKEY_free(key);
    return 0;
}
