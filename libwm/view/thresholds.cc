#include "libwm/view/thresholds.h"

#include <algorithm>
#include <optional>

#include "libwm/view/format.h"

namespace wm::view {

std::string load_thresholds(const std::vector<LoadLimit>& limits) {
  struct Column {
    const char* name;
    int width;
  };
  constexpr Column kColumns[] = {{"r15s", 15}, {"r1m", 6}, {"r15m", 6}, {"ut", 5},
                                 {"pg", 8},    {"io", 6},  {"ls", 5},   {"it", 6},
                                 {"tmp", 7},   {"swp", 7}, {"mem", 7}};
  std::string heads, sched = " loadSched", stop = " loadStop ";
  for (const Column& column : kColumns) {
    auto limit = std::find_if(limits.begin(), limits.end(),
                              [&](const LoadLimit& one) { return one.index == column.name; });
    auto shown = [&](std::optional<double> LoadLimit::*value) {
      bool set = limit != limits.end() && (*limit).*value;
      return set ? show_load(column.name, *((*limit).*value)) : std::string("-");
    };
    bool first = heads.empty();
    heads += fit(column.name, column.width, true);
    int width = first ? column.width - 10 : column.width;
    sched += fit(shown(&LoadLimit::sched), width, true);
    stop += fit(shown(&LoadLimit::stop), width, true);
  }
  return heads + "\n" + sched + "\n" + stop + "\n";
}

}  // namespace wm::view
