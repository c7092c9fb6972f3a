#include "libwm/serve/versions.h"

#include <utility>

namespace wm::serve {

std::string version_name(const std::string& at,
                         const std::function<bool(const std::string&)>& is_there) {
  auto name = at;
  for (unsigned n = 2; is_there(name); ++n) name = at + "-" + std::to_string(n);
  return name;
}

Versions with_version(Versions before, const std::string& fresh) {
  if (!before.present.empty()) before.earlier.push_back(std::move(before.present));
  before.present = fresh;
  return before;
}

Result<Versions> gone_back(Versions before, const std::string& service) {
  if (before.earlier.empty())
    return fail(Code::NotFound, "model " + service + " has no version before this one");
  before.undone.push_back(std::move(before.present));
  before.present = std::move(before.earlier.back());
  before.earlier.pop_back();
  return before;
}

std::vector<std::string> outdated(Versions& versions, std::size_t most) {
  std::vector<std::string> out;
  for (auto* list : {&versions.earlier, &versions.undone})
    while (list->size() > most) {
      out.push_back(std::move(list->front()));
      list->erase(list->begin());
    }
  return out;
}

}  // namespace wm::serve
