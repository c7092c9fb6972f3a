#include "libwm/launch/plain_command.h"

#include <algorithm>
#include <string_view>

namespace wm::launch {
namespace {

constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,+@%-";
constexpr std::string_view kBlank = " \t";

bool names_a_file(const std::string& word) {
  return word.find('/') != word.npos && word.find('=') == word.npos;
}

}  // namespace

std::optional<std::vector<std::string>> plain_words(const std::string& command) {
  std::vector<std::string> words;
  auto at = command.find_first_not_of(kBlank);
  while (at != command.npos) {
    auto end = std::min(command.find_first_not_of(kPlain, at), command.size());
    if (end == at) return std::nullopt;  // neither plain nor blank
    words.push_back(command.substr(at, end - at));
    at = command.find_first_not_of(kBlank, end);
    if (at == end) return std::nullopt;
  }
  if (words.empty() || !names_a_file(words.front())) return std::nullopt;
  return words;
}

}  // namespace wm::launch
