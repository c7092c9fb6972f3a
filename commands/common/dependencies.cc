#include "commands/common/dependencies.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace wm::cmd {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::uint32_t number_at(std::string_view text, std::size_t& at) {
  std::uint32_t n = 0;
  while (at < text.size() && is_digit(text[at]))
    n = n * 10 + static_cast<std::uint32_t>(text[at++] - '0');
  return n;
}

// Does a term begin here: behind an operator, a bracket or nothing, not behind a comma as in
// exit(5, 3)?
bool begins_term(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '"')) --at;
  return at == 0 || text[at - 1] == '(' || text[at - 1] == '&' || text[at - 1] == '|' ||
         text[at - 1] == '!';
}

}  // namespace

std::vector<JobId> jobs_named_in(std::string_view condition) {
  std::vector<JobId> ids;
  for (std::size_t at = 0; at < condition.size();) {
    bool starts = is_digit(condition[at]) && begins_term(condition, at);
    if (!starts) {
      ++at;
      continue;
    }
    JobId id{number_at(condition, at), 0};
    if (at < condition.size() && condition[at] == '[') id.index = number_at(condition, ++at);
    if (id.job && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  }
  return ids;
}

}  // namespace wm::cmd
