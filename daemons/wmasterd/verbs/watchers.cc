#include "daemons/wmasterd/verbs/watchers.h"

#include <algorithm>

namespace wm::master {
namespace {

constexpr Duration kRound = std::chrono::milliseconds(200);
constexpr Duration kLongest = std::chrono::minutes(1);
constexpr std::ptrdiff_t kMostPerSession = 64;

}  // namespace

void Watchers::add(const Call& call, Duration patience, Look look) {
  auto same = [&](const Watcher& watcher) { return watcher.call.peer() == call.peer(); };
  if (std::count_if(watchers_.begin(), watchers_.end(), same) >= kMostPerSession)
    return call.refuse(fail(Code::Limit, "64 questions that wait are under way in this session"));
  patience = std::clamp(patience, Duration{}, kLongest);
  Watcher watcher{call, clock_.mono() + patience, std::move(look)};
  Made made;
  if (answer(watcher, patience == Duration{}, made)) return;
  watchers_.push_back(std::move(watcher));
  soon();
}

bool Watchers::answer(const Watcher& watcher, bool over, Made& made) const {
  auto bytes = watcher.look(over, made);
  if (bytes) watcher.call.send(std::move(*bytes));
  return bytes.has_value();
}

void Watchers::on_published(const Journal::Published& published) {
  const Cluster& state = journal_.published();
  if (published.reloaded) changes_.forget(state.seq);
  else changes_.add(state, published.touched.jobs);
  news_ = true;
}

void Watchers::on_left(PeerId peer) {
  std::erase_if(watchers_, [&](const Watcher& watcher) { return watcher.call.peer() == peer; });
}

void Watchers::soon() {
  if (std::exchange(timed_, true)) return;
  clock_.after(kRound, [this] { round(); });
}

void Watchers::round() {
  timed_ = false;
  Made made;
  bool news = std::exchange(news_, false);
  std::erase_if(watchers_, [&](const Watcher& watcher) {
    bool over = clock_.mono() >= watcher.until;
    return (news || over) && answer(watcher, over, made);
  });
  if (!watchers_.empty()) soon();
}

}  // namespace wm::master
