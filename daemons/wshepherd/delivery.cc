#include "daemons/wshepherd/delivery.h"

#include <algorithm>

namespace wm::shepherd {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A slot waits so long for a report that is but a moment's work: one word to the master, not two.
constexpr auto kMoment = milliseconds(50);
/// A report that takes longer is late; it is written on.
constexpr auto kReportLimit = seconds(5);
/// When the task here has failed, launchers on other hosts may end only when they hear of it.
constexpr auto kOthersLines = seconds(1);

}  // namespace

bool Delivery::is_wanted() const {
  return !attempt_.tasks.empty() && (!attempt_.spec.copies.empty() || reporter_.writes_file());
}

void Delivery::add(const std::string& words) {
  if (!words.empty()) words_ += (words_.empty() ? "" : "; ") + words;
}

/// What launchers on other hosts say goes to the same files, and before the report.
bool Delivery::others_are_awaited() {
  if (!agent_.writes_beside_us()) return false;
  agent_.finish();  // it goes when the others have
  const auto* record = attempt_.deciding_record();
  bool well =
      record == nullptr || (record->status == 0 && record->cause == launch::EndCause::Exited);
  return well || attempt_.now() < begun_ + kOthersLines;
}

bool Delivery::copies_go_on() {
  if (sides_.runs(SideKind::Copy)) return true;
  auto& copies = attempt_.spec.copies;
  auto now = attempt_.now();
  while (!copies.empty() && now < copies_end_) {
    auto next = std::move(copies.front());
    copies.erase(copies.begin());
    next.time_limit = copies_end_ - now;
    add_exit_words(next.env, attempt_.deciding_record());
    auto end = sides_.start(std::move(next), SideKind::Copy);
    if (!end) return true;
    on_end(*end);
  }
  if (!copies.empty()) add("copy late");
  copies.clear();
  return false;
}

void Delivery::on_end(const SideEnd& end) {
  if (end.kind == SideKind::Copy && end.failed())
    add(end.late ? "copy late: " + end.text : end.text);
}

bool Delivery::is_done() {
  auto now = attempt_.now();
  if (step_ == Step::Idle) {
    begun_ = now;
    step_ = Step::Others;
  }
  if (step_ == Step::Others) {
    if (others_are_awaited()) return false;
    moment_end_ = now + kMoment;
    auto limit = attempt_.spec.copy_limit;
    copies_end_ = limit == Duration{} ? TimePoint::max() : now + limit;
    step_ = Step::Copies;
  }
  if (step_ == Step::Copies) {
    if (copies_go_on()) return false;
    report_end_ = now + kReportLimit;
    if (!words_.empty()) attempt_.note += (attempt_.note.empty() ? "" : "\n") + words_ + ".";
    step_ = Step::Report;
  }
  if (step_ == Step::Report) {
    bool written = reporter_.is_written();
    if (!written && now < report_end_) return false;
    add(written ? reporter_.trouble() : "report late");
    step_ = Step::Done;
  }
  return true;
}

bool Delivery::is_long() const { return step_ > Step::Others && moment_end_ <= attempt_.now(); }

void Delivery::tell() {
  if (!is_owed()) return;
  told_ = true;
  attempt_.env.words.say(launch::Delivered{std::exchange(words_, {})});
}

bool Delivery::is_last(const Task& task) const {
  return std::all_of(attempt_.tasks.begin(), attempt_.tasks.end(), [&](const auto& entry) {
    return &entry.second == &task || entry.second.phase == Phase::Ended;
  });
}

bool Delivery::keeps(Task& task) {
  if (!is_wanted()) return false;
  if (!attempt_.spec.ends_with_last_task) {
    ahead_ = ahead_ || task.spec.writer;
    return false;
  }
  if (!is_last(task)) return false;
  bool done = !waits_for_agent() && is_done();
  if (!done && !waits_for_agent() && !is_long()) return true;
  ahead_ = !done;
  if (done && !words_.empty())
    task.record.text += (task.record.text.empty() ? "" : "; ") + std::exchange(words_, {});
  return false;
}

bool Delivery::owes_for(const Task& task) const {
  if (!is_owed()) return false;
  return attempt_.spec.ends_with_last_task ? is_last(task) : task.spec.writer;
}

std::optional<TimePoint> Delivery::next() const {
  auto now = attempt_.now();
  if (step_ == Step::Idle || step_ == Step::Done) return std::nullopt;
  if (step_ == Step::Others)
    return now < begun_ + kOthersLines ? std::optional(begun_ + kOthersLines) : std::nullopt;
  if (!is_long()) return moment_end_;
  return step_ == Step::Report ? std::optional(report_end_) : std::nullopt;
}

}  // namespace wm::shepherd
