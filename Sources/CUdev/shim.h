// CUdev: the C gate to <libudev.h>. Only what Swift's importer cannot see (macros, variadics) is added here; no logic.
#pragma once
#include <libudev.h>
