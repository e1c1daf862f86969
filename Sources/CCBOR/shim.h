// CCBOR: the C gate to <cbor.h>. Only what Swift's importer cannot see (macros, variadics) is added here; no logic.
#pragma once
#include <cbor.h>
