// CIni: the C gate to <ini.h>. Only what Swift's importer cannot see (macros, variadics) is added here; no logic.
#pragma once
#include <ini.h>
