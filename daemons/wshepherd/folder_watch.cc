#include "daemons/wshepherd/folder_watch.h"

#include <algorithm>

#include "libwm/model/reason.h"

namespace wm::shepherd {
namespace {

constexpr Duration kBetweenLooks = std::chrono::seconds(1);
/// After a look of that length this many times as long passes.
constexpr int kPartOfTime = 50;

std::string found_words(const proc::FolderUse& use, Bytes limit) {
  using More = proc::FolderUse::More;
  if (use.more == More::Names)
    return " has more than " + std::to_string(proc::kMostNames) + " files";
  if (use.more == More::Depth)
    return " is more than " + std::to_string(proc::kDeepestFolder) + " folders deep";
  return " has " + format_bytes(use.size) + " of " + format_bytes(limit);
}

}  // namespace

/// Nothing may be written before there is a process, and after the last.
bool FolderWatch::is_due() const {
  bool limited = attempt_.spec.folder_limit.value > 0 && folder_.is_made();
  bool tasks = attempt_.any_running() && !attempt_.clock.stopped();
  return limited && (tasks || sides_.any_users());
}

std::optional<TimePoint> FolderWatch::next() const {
  return is_due() ? std::optional(look_at_) : std::nullopt;
}

Bytes FolderWatch::limit() const {
  const auto& spec = attempt_.spec;
  return Bytes{most_ * (spec.folder_limit.value + spec.folder_spool.value)};
}

void FolderWatch::fire() {
  if (!is_due()) return;
  auto now = attempt_.now();
  if (look_at_ == TimePoint{}) look_at_ = now + kBetweenLooks;
  if (now < look_at_) return;
  most_ = std::max(most_, static_cast<std::int64_t>(attempt_.chosen({}).size()));
  auto use = attempt_.env.folder_meter.look(folder_.path(), limit());
  auto after = attempt_.now();
  look_at_ = after + std::max(kBetweenLooks, kPartOfTime * (after - now));
  if (use.more != proc::FolderUse::More::None) end_for(use);
}

void FolderWatch::end_for(const proc::FolderUse& use) {
  auto text = std::string(term_name(Term::FolderLimit)) + ": " +
              std::string(term_text(Term::FolderLimit)) + ": " + folder_.path() +
              found_words(use, limit());
  enders_.end_all({signals_at_limit(launch::EndCause::FolderLimit)}, launch::EndCause::FolderLimit,
                  text);
  sides_.end_users(launch::EndCause::FolderLimit, text);
}

}  // namespace wm::shepherd
