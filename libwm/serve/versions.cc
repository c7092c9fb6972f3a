#include "libwm/serve/versions.h"

#include <algorithm>
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

Result<Versions> gone_back(Versions before, const std::string& what) {
  if (before.earlier.empty()) return fail(Code::NotFound, what + " has no version before this one");
  before.undone.push_back(std::move(before.present));
  before.present = std::move(before.earlier.back());
  before.earlier.pop_back();
  return before;
}

Result<Versions> without_version(Versions before, const std::string& version,
                                 const std::string& what) {
  for (auto* list : {&before.earlier, &before.undone})
    if (std::erase(*list, version) != 0) return before;
  if (before.present != version)
    return fail(Code::NotFound, what + " has no version " + version.substr(0, 200));
  if (before.earlier.empty())
    return fail(Code::Conflict, what + " has no other version than " + version +
                                    ": it is deleted as a whole or not at all");
  before.present = std::move(before.earlier.back());
  before.earlier.pop_back();
  return before;
}

std::vector<std::string> all_of(const Versions& versions) {
  std::vector<std::string> all{versions.present};
  for (const auto* list : {&versions.earlier, &versions.undone})
    all.insert(all.end(), list->rbegin(), list->rend());
  return all;
}

std::string_view state_of(const Versions& versions, const std::string& version) {
  if (version.empty()) return "";
  if (version == versions.present) return "present";
  for (auto [list, word] : {std::pair{&versions.earlier, "earlier"}, {&versions.undone, "undone"}})
    if (std::find(list->begin(), list->end(), version) != list->end()) return word;
  return "";
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
