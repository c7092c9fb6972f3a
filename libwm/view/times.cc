#include "libwm/view/times.h"

#include <array>
#include <ctime>

namespace wm::view {
namespace {

std::string time_text(WallTime time, const char* format) {
  if (time == WallTime{}) return "";
  std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

}  // namespace

std::string short_time(WallTime time) { return time_text(time, "%b %e %H:%M"); }
std::string long_time(WallTime time) { return time_text(time, "%a %b %e %H:%M:%S"); }
std::string dated_time(WallTime time) { return time_text(time, "%m/%d-%H:%M:%S"); }

}  // namespace wm::view
