#include "daemons/wmasterd/rim/take_over.h"

#include <algorithm>
#include <optional>

#include "libwm/base/log.h"

namespace wm::master {

TakenOver take_over_of(const store::Outranked& words, const MasterRank& own,
                       std::uint32_t accounted) {
  return {std::max(words.met.term, own.term) + 1,
          std::max({words.met.last_job, own.last_job, accounted}), words.by, words.why};
}

Result<void> settle_outranked(const std::string& state_dir, Core& core,
                              boost::asio::io_context& loop, std::uint32_t accounted) {
  WM_TRY(auto words, store::read_outranked(state_dir));
  if (!words) return {};
  auto own = core.journal().rank();
  if (auto why = store::must_not_start(*words, own); !why.empty()) return fail(Code::Conflict, why);
  // A newer store was brought back, or the take-over of a start that was cut off is done.
  if (may_obey(words->met, own)) return store::forget_outranked(state_dir);
  std::optional<Result<void>> done;
  core.take_over(take_over_of(*words, own, accounted),
                 [&](const Result<void>& result) { done = result; });
  while (!done && loop.run_one() > 0) {
  }
  if (!done || !*done) return done ? *done : Result<void>(fail(Code::Store, "take-over: cut off"));
  log::warn("taken_over", {{"by", words->by}, {"ours", to_string(core.journal().rank())}});
  return store::forget_outranked(state_dir);
}

}  // namespace wm::master
