// CSQLite: the C gate to <sqlite3.h>. Only what Swift's importer cannot see (macros, variadics) is added here; no logic.
#pragma once
#include <sqlite3.h>
