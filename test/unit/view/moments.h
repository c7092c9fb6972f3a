// Role: when things happen in tests of the tables. Included by tests of this folder only.
#pragma once

#include "test/support/moments.h"

namespace wm::view {

/// In the morning of 20 November 2026, UTC.
inline WallTime at(double seconds) { return test::wall::at(1795160000 + seconds); }

}  // namespace wm::view
