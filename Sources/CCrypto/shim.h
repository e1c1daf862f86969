// CCrypto: the C gate to <openssl/evp.h>. Only what Swift's importer cannot see (macros, variadics) is added here; no logic.
#pragma once
#include <openssl/evp.h>
