#include "libwm/base/local_time.h"

#include <array>

namespace wm {

std::tm local_parts(WallTime at) {
  std::time_t seconds = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  return parts;
}

std::string local_text(WallTime at, const char* format) {
  auto parts = local_parts(at);
  std::array<char, 128> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

}  // namespace wm
