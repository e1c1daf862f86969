// CZip: the C gate to <zip.h>. Only what Swift's importer cannot see (macros, variadics) is added here; no logic.
#pragma once
#include <zip.h>
