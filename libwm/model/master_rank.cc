#include "libwm/model/master_rank.h"

#include <algorithm>

namespace wm {

bool may_obey(const MasterRank& kept, const MasterRank& told) {
  if (kept.store.empty()) return true;
  if (told.term != kept.term) return told.term > kept.term;
  return told.store == kept.store && told.seq >= kept.seq;
}

Attempt next_attempt(std::uint32_t term, Attempt newest) {
  return Attempt{std::max(newest.value, term * kAttemptsOfTerm) + 1};
}

std::uint32_t attempts_before(Attempt attempt) {
  return attempt.value == 0 ? 0 : (attempt.value - 1) % kAttemptsOfTerm;
}

std::string to_string(const MasterRank& rank) {
  return "store " + rank.store + ", term " + std::to_string(rank.term) + ", event " +
         std::to_string(rank.seq.value);
}

}  // namespace wm
