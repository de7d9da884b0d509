// libcrypto as the Crypto folder uses it. Function-like macros that Swift cannot see get an inline function here.
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

#endif
