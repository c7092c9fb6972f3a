#include "libwm/trainer/groups/nccl_rule.h"

#include <charconv>

namespace wm::groups {
namespace {

constexpr int kFine = 0, kInProgress = 7;  // ncclSuccess, ncclInProgress

// The number up to the next space or the end; moves `text` behind it.
template <class T>
bool take(std::string_view& text, T& number) {
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  return true;
}

}  // namespace

Making choose_making(std::span<const Bringing> all) {
  const Making fresh;
  if (all.empty() || all.front().key == 0) return fresh;
  const auto& first = all.front();
  Making made{.shrink = true};
  int next = 0;  // first rank that is not accounted for
  for (const auto& one : all) {
    if (one.key != first.key || one.world != first.world) return fresh;
    if (one.rank < next || one.rank >= one.world) return fresh;
    for (; next < one.rank; ++next) made.excluded.push_back(next);
    ++next;
  }
  for (; next < first.world; ++next) made.excluded.push_back(next);
  return made.excluded.empty() ? fresh : made;
}

std::string pack(const Bringing& bringing) {
  return std::to_string(bringing.key) + " " + std::to_string(bringing.rank) + " " +
         std::to_string(bringing.world);
}

std::optional<Bringing> unpack_bringing(std::string_view text) {
  Bringing found;
  bool good = take(text, found.key) && take(text, found.rank) && take(text, found.world);
  if (!good || !text.empty()) return std::nullopt;
  return found;
}

Answer answer_of(int state, bool done) {
  if (state == kInProgress) return Answer::Working;
  if (state != kFine) return Answer::Broken;
  return done ? Answer::Ready : Answer::Working;
}

}  // namespace wm::groups
