#include "daemons/wuserd/master/hub.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "libwm/base/backoff.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/log.h"
#include "libwm/view/json.h"

namespace wm::user {
namespace {

constexpr std::size_t kKeptMessages = 2048;  // messages for who lags behind
constexpr std::size_t kToldMost = 20000;
constexpr auto kTick = std::chrono::seconds(2);
constexpr auto kLinger = std::chrono::seconds(30);
constexpr Duration kWatchPatience = std::chrono::seconds(2);

std::uint64_t epoch_ms() { return static_cast<std::uint64_t>(epoch_seconds(wall_now()) * 1000); }

std::string tick() {
  return "event: tick\ndata: {\"now\":" + std::to_string(epoch_seconds(wall_now())) + "}\n\n";
}

}  // namespace

void Hub::follow(http::Exchange& exchange) {
  std::uint64_t seen = 0;
  std::string first = tick();
  {
    std::lock_guard lock(mutex_);
    ++followers_;
    seen = begin_of(exchange.head().field("last-event-id"), first);
    if (!watching_) {
      watching_ = true;
      std::thread([this] { watch_safely(); }).detach();
    }
  }
  auto begun = exchange.begin(
      {200, {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}}, ""});
  for (bool listens = begun && exchange.write(first); listens;)
    listens = exchange.write(news_since(seen)).has_value();
  std::lock_guard lock(mutex_);
  --followers_;
  left_ = steady_now();
}

// From which message on a follower is told. A number of another run, or one that is not kept any
// more, is followed by "reset".
std::uint64_t Hub::begin_of(std::string_view last_event, std::string& first) {
  if (!watching_) run_ = std::max<std::uint64_t>(run_ + 1, epoch_ms());
  if (last_event.empty()) return last_;
  std::uint64_t run = 0, number = 0;
  const char* end = last_event.data() + last_event.size();
  auto [dash, bad_run] = std::from_chars(last_event.data(), end, run);
  bool reads = bad_run == std::errc() && dash != end && *dash == '-' &&
               std::from_chars(dash + 1, end, number).ptr == end;
  bool kept = number == last_ || (!recent_.empty() && recent_.front().number <= number + 1);
  if (reads && watching_ && run == run_ && number <= last_ && kept) return number;
  first += "event: reset\ndata: {}\n\n";
  return last_;
}

std::string Hub::news_since(std::uint64_t& seen) {
  std::unique_lock lock(mutex_);
  news_.wait_for(lock, kTick, [&] { return last_ > seen; });
  if (last_ == seen) return tick();
  std::string text;
  if (recent_.front().number > seen + 1) text = "event: reset\ndata: {}\n\n";
  for (const auto& message : recent_)
    if (message.number > seen) text += message.text;
  seen = last_;
  return text;
}

void Hub::publish(std::string_view event, std::string_view data) {
  std::lock_guard lock(mutex_);
  auto number = ++last_;
  recent_.push_back({number, "id: " + std::to_string(run_) + "-" + std::to_string(number) +
                                 "\nevent: " + std::string(event) + "\ndata: " + std::string(data) +
                                 "\n\n"});
  if (recent_.size() > kKeptMessages) recent_.pop_front();
  news_.notify_all();
}

// What cannot be told must not end the process: pages list anew.
void Hub::watch_safely() {
  Backoff tries(std::chrono::seconds(1), std::chrono::seconds(30), random_number());
  for (bool over = false; !over;) {
    try {
      watch();
      over = true;
    } catch (const std::exception& problem) {
      log::error("watch_threw", {{"why", problem.what()}});
      publish("reset", "{}");
      tries.sleep();
    }
  }
}

void Hub::watch() {
  Seq after;
  bool away = false;
  Backoff tries(std::chrono::milliseconds(500), std::chrono::seconds(2), random_number());
  for (;;) {
    if (is_idle()) return;
    if (watch_once(after)) {
      tries.reset();
      if (away) publish("reset", "{}");
      away = false;
      continue;
    }
    if (!away) publish("stale", "{}");
    away = true;
    after = {};
    tries.sleep();
  }
}

// Nobody has listened for a while: pages that reload or lose their line come back before.
bool Hub::is_idle() {
  std::lock_guard lock(mutex_);
  if (followers_ > 0 || steady_now() - left_ < kLinger) return false;
  watching_ = false;
  told_.clear();
  return true;
}

// False: the master does not answer.
bool Hub::watch_once(Seq& after) {
  auto master = masters_.take();
  if (!master) return false;
  auto reply = (*master)->ask(WatchRequest{{{}, "all", ""}, after, kWatchPatience});
  if (!reply) return false;
  bool missed = reply->missed;
  after = reply->seen;
  if (missed) publish("reset", "{}");
  return tell_changes(**master, *reply) && tell_running(**master);
}

bool Hub::tell_changes(client::Master& master, const WatchReply& reply) {
  std::set<JobId> ids;
  for (const auto& change : reply.changes) ids.insert(change.id);
  if (ids.empty()) return true;
  JobsRequest request;
  request.jobs.ids.assign(ids.begin(), ids.end());
  auto jobs = master.ask(request);
  if (!jobs) return false;
  for (const auto& view : jobs->jobs) tell_job(view);
  return true;
}

// How far the user's own jobs are is no change that Watch tells.
bool Hub::tell_running(client::Master& master) {
  JobsRequest request;
  request.jobs.running_only = true;
  auto jobs = master.ask(request);
  if (!jobs) return false;
  for (const auto& view : jobs->jobs) tell_job(view);
  return true;
}

void Hub::tell_job(const JobView& view) {
  auto text = view::job_json(view, {wall_now(), view::Detail::Brief});
  if (told_.size() > kToldMost) told_.clear();
  auto& told = told_[view.id];
  if (told == text) return;
  told = text;
  publish("job", text);
}

}  // namespace wm::user
