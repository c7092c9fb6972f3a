#include "libwm/client/door_record.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "libwm/base/clock.h"
#include "libwm/base/log.h"
#include "libwm/client/master.h"

namespace wm::client {
namespace {

constexpr std::size_t kMostKept = 10000, kAtOnce = 100, kMostSeen = 100000;
constexpr Duration kPatience = std::chrono::seconds(2), kPause = std::chrono::seconds(1);
constexpr Duration kOncePer = std::chrono::minutes(10);

std::string words_of(const DoorAct& act) {
  std::string text = act.act + " " + act.user;
  for (const auto& object : act.objects)
    if (object.starts_with("from ")) text += " " + object;
  return text + " " + act.outcome;
}

}  // namespace

struct DoorRecord::Parts {
  explicit Parts(const ClusterConf& c) : conf(c) {}

  bool is_repeat(const DoorAct& act) {
    if (seen.size() > kMostSeen) seen.clear();
    auto& last = seen[words_of(act)];
    bool repeat = act.at - last < kOncePer;
    if (!repeat) last = act.at;
    return repeat;
  }

  // What it told last is taken away; none: there was nothing, or the master is away.
  bool tell_some(std::unique_lock<std::mutex>& lock) {
    std::vector<DoorAct> some(
        acts.begin(), acts.begin() + static_cast<std::ptrdiff_t>(std::min(acts.size(), kAtOnce)));
    lock.unlock();
    if (!master) {
      if (auto made = Master::of(conf, kPatience)) master.emplace(*std::move(made));
    }
    auto told = master ? master->ask(NoteRequest{"", some})
                       : Result<NoteReply>(fail(Code::Unavailable, ""));
    // One that is refused would be refused for ever.
    bool final_answer = told || told.error().code == Code::Denied ||
                        told.error().code == Code::BadArgument ||
                        told.error().code == Code::Limit || told.error().code == Code::Version;
    if (!told && final_answer)
      log::error("record_refused", {{"acts", some.size()}, {"why", told.error().text}});
    lock.lock();
    if (final_answer)
      acts.erase(acts.begin(), acts.begin() + static_cast<std::ptrdiff_t>(some.size()));
    return final_answer;
  }

  void run() {
    std::unique_lock lock(mutex);
    while (!over || !acts.empty()) {
      news.wait(lock, [this] { return over || !acts.empty(); });
      if (acts.empty()) continue;
      bool told = tell_some(lock);
      if (!told && over) break;
      if (!told) news.wait_for(lock, kPause, [this] { return over; });
    }
    if (!acts.empty()) log::error("record_lost", {{"acts", acts.size()}});
  }

  ClusterConf conf;
  std::optional<Master> master;  // the thread's own
  std::mutex mutex;
  std::condition_variable news;
  std::deque<DoorAct> acts;
  std::map<std::string, WallTime> seen;
  bool over = false;
  std::thread thread;
};

DoorRecord::DoorRecord(const ClusterConf& conf) : parts_(std::make_unique<Parts>(conf)) {
  parts_->thread = std::thread([parts = parts_.get()] { parts->run(); });
}

DoorRecord::~DoorRecord() {
  {
    std::lock_guard lock(parts_->mutex);
    parts_->over = true;
  }
  parts_->news.notify_all();
  parts_->thread.join();
}

void DoorRecord::add(DoorAct act, bool repeated) {
  if (act.at == WallTime{}) act.at = wall_now();
  std::lock_guard lock(parts_->mutex);
  if (repeated && parts_->is_repeat(act)) return;
  if (parts_->acts.size() >= kMostKept) {
    log::error("record_lost", {{"acts", 1}, {"why", "the master is away for long"}});
    return;
  }
  parts_->acts.push_back(std::move(act));
  parts_->news.notify_all();
}

}  // namespace wm::client
