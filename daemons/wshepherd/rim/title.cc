#include "daemons/wshepherd/rim/title.h"

#include <cstring>

namespace wm::shepherd {

void set_title(const Place& place, const std::string& text) {
  if (place.title == nullptr || place.title_size == 0) return;
  std::memset(place.title, 0, place.title_size);
  text.copy(place.title, place.title_size - 1);
}

}  // namespace wm::shepherd
