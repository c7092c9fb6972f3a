#include "libwm/base/result.h"

#include <cstdio>

namespace wm {

void check_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "wm: broken invariant: %s (%s:%d)\n", what, file, line);
  std::abort();
}

}  // namespace wm
