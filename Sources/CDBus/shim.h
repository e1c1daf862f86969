// CDBus: the C gate to <dbus/dbus.h>. Only what Swift's importer cannot see (macros, variadics) is added here; no logic.
#pragma once
#include <dbus/dbus.h>
