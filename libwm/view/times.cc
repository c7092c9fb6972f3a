#include "libwm/view/times.h"

#include "libwm/base/local_time.h"

namespace wm::view {
namespace {

std::string time_text(WallTime time, const char* format) {
  return time == WallTime{} ? "" : local_text(time, format);
}

}  // namespace

std::string short_time(WallTime time) { return time_text(time, "%b %e %H:%M"); }
std::string long_time(WallTime time) { return time_text(time, "%a %b %e %H:%M:%S"); }
std::string year_time(WallTime time) { return time_text(time, "%a %b %e %H:%M:%S %Y"); }
std::string dated_time(WallTime time) { return time_text(time, "%m/%d-%H:%M:%S"); }

}  // namespace wm::view
