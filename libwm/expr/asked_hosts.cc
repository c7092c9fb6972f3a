#include "libwm/expr/asked_hosts.h"

#include <algorithm>
#include <charconv>

#include "libwm/base/excerpt.h"

namespace wm::expr {
namespace {

constexpr int kMostPreference = 65535;

Result<AskedHost> parse_word(const std::string& word) {
  AskedHost asked;
  std::string_view rest = word;
  auto wrong = [&](const char* what) {
    return fail(Code::BadArgument, "-m " + excerpt(word) + ": Bad host name, " + what);
  };
  asked.excluded = rest.starts_with('~');
  if (asked.excluded) rest.remove_prefix(1);
  bool first = rest.ends_with('!');
  if (first) rest.remove_suffix(1);
  auto plus = rest.find('+');
  asked.name = rest.substr(0, plus);
  if (asked.name.empty()) return wrong("a name is wanted");
  if (asked.name == "all") asked.name = "others";
  if (plus != std::string_view::npos) {
    auto number = rest.substr(plus + 1);
    auto [end, ec] =
        std::from_chars(number.data(), number.data() + number.size(), asked.preference);
    bool whole = ec == std::errc() && end == number.data() + number.size();
    if (!number.empty() && (!whole || asked.preference < 0 || asked.preference > kMostPreference))
      return wrong("a preference from 0 to 65535 is wanted after +");
    if (number.empty()) asked.preference = 1;
  }
  if (first) asked.preference = kFirstHost;
  return asked;
}

}  // namespace

Result<std::vector<AskedHost>> parse_asked_hosts(std::span<const std::string> words) {
  std::vector<AskedHost> all;
  for (const auto& word : words) {
    WM_TRY(auto asked, parse_word(word));
    all.push_back(std::move(asked));
  }
  return all;
}

int preference_of(std::span<const AskedHost> asked, std::string_view host,
                  std::span<const std::string> groups) {
  int best = kNotAsked, others = kNotAsked;
  bool any_wanted = false;
  for (const AskedHost& word : asked) {
    bool names =
        word.name == host || std::find(groups.begin(), groups.end(), word.name) != groups.end();
    if (names && word.excluded) return kNotAsked;
    any_wanted = any_wanted || !word.excluded;
    if (names) best = std::max(best, word.preference);
    if (word.name == "others" && !word.excluded) others = word.preference;
  }
  if (!any_wanted) return 0;
  return best == kNotAsked ? others : best;
}

}  // namespace wm::expr
