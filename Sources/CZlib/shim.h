// CZlib: the C gate to <zlib.h>. Only what Swift's importer cannot see (macros, variadics) is added here; no logic.
#pragma once
#include <zlib.h>
