#include "daemons/wmasterd/rim/notifier.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>

#include "libwm/base/log.h"
#include "libwm/files/whole_file.h"
#include "libwm/proc/channel.h"
#include "libwm/proc/process.h"

namespace wm::master {
namespace {

constexpr std::size_t kThreads = 4;  // so many owners at a time
constexpr std::size_t kMostNotices = 1000;
constexpr Duration kPatience = std::chrono::seconds(10);

Send running(std::vector<std::string> words, const std::string& input) {
  return [words = std::move(words), &input]() -> Result<void> {
    WM_TRY(proc::run_command(words, kPatience, input));
    return {};
  };
}

// No file of the account's is read, no redirect followed, nothing kept of the answer.
std::vector<std::string> posting_to(const std::string& url) {
  return {"curl",
          "-q",
          "-sS",
          "-f",
          "-g",
          "--proto",
          "=http,https",
          "--max-redirs",
          "0",
          "--connect-timeout",
          "4",
          "--max-time",
          "4",
          "--retry",
          "1",
          "--retry-connrefused",
          "--retry-delay",
          "1",
          "-o",
          "/dev/null",
          "-H",
          "Content-Type: application/json",
          "-H",
          "Expect:",
          "--data-binary",
          "@-",
          "--url",
          url};
}

std::optional<std::uint64_t> read_mark(const std::string& path) {
  std::uint64_t seq = 0;
  if (std::ifstream(path) >> seq) return seq;
  return {};
}

Result<void> write_mark(const std::string& path, std::uint64_t seq) {
  return replace_file(path, std::to_string(seq) + "\n", 0600);
}

void warn_unless(const Result<void>& written) {
  if (!written) log::warn("notices_may_repeat", {{"why", written.error().text}});
}

}  // namespace

std::vector<Send> ways_of(const Notice& notice) {
  std::vector<Send> ways;
  if (!notice.mail.empty()) ways.push_back(running({notice.sendmail, "-oi", "-t"}, notice.mail));
  for (const auto& url : notice.urls) ways.push_back(running(posting_to(url), notice.json));
  if (!notice.command.empty())
    ways.push_back(running({"/bin/sh", "-c", notice.command}, notice.json));
  return ways;
}

Notifier::Notifier(std::string mark, std::function<std::vector<Send>(const Notice&)> ways)
    : mark_(std::move(mark)), ways_(std::move(ways)) {
  for (std::size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this] { run(); });
}

Notifier::~Notifier() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Notifier::begin(const std::vector<Event>& events, const Cluster& state) {
  auto found = read_mark(mark_);
  taken_ = kept_ = found.value_or(state.seq.value);
  if (!found) return warn_unless(write_mark(mark_, kept_));
  auto notices = notices_of(events, state);
  std::erase_if(notices, [&](const Notice& notice) { return notice.seq.value <= kept_; });
  add(std::move(notices));
}

void Notifier::take(const std::vector<Event>& events, const Cluster& after) {
  if (!events.empty()) add(notices_of(events, after));
}

void Notifier::add(std::vector<Notice> notices) {
  if (notices.empty()) return;
  std::lock_guard lock(mutex_);
  for (auto& notice : notices) {
    taken_ = std::max(taken_, notice.seq.value);
    auto& waiting = waiting_[notice.owner];
    if (waiting.size() >= kMostNotices) {
      if (dropped_.insert(notice.owner).second)
        log::warn("notices_dropped", {{"user", notice.owner}, {"job", to_string(notice.job)}});
      continue;
    }
    open_.insert(notice.seq.value);
    waiting.push_back(std::move(notice));
  }
  changed_.notify_all();
}

// Next notice, round-robin by owner; owners with a delivery under way are skipped.
bool Notifier::next(Notice& notice) {
  auto free = [&](auto from, auto to) {
    return std::find_if(from, to, [&](const auto& of) { return !busy_.contains(of.first); });
  };
  auto middle = waiting_.upper_bound(turn_);
  auto at = free(middle, waiting_.end());
  if (at == waiting_.end()) at = free(waiting_.begin(), middle);
  if (at == waiting_.end() || busy_.contains(at->first)) return false;
  turn_ = at->first;
  notice = std::move(at->second.front());
  at->second.pop_front();
  if (at->second.empty()) {
    dropped_.erase(turn_);
    waiting_.erase(at);
  }
  busy_.insert(turn_);
  return true;
}

void Notifier::run() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    Notice notice;
    if (!next(notice)) {
      changed_.wait(lock);
      continue;
    }
    lock.unlock();
    send(notice);
    if (!ending_) finished(notice);
    lock.lock();
  }
}

void Notifier::send(const Notice& notice) {
  for (const auto& way : ways_(notice)) {
    if (ending_) return;
    if (auto sent = way(); !sent)
      log::warn(
          "notice_not_sent",
          {{"job", to_string(notice.job)}, {"user", notice.owner}, {"why", sent.error().text}});
  }
}

void Notifier::finished(const Notice& notice) {
  std::uint64_t mark = 0;
  {
    std::lock_guard lock(mutex_);
    open_.erase(open_.find(notice.seq.value));
    mark = sent_up_to();
  }
  keep_mark(mark);
  std::lock_guard lock(mutex_);
  busy_.erase(notice.owner);
  changed_.notify_all();
}

std::uint64_t Notifier::sent_up_to() const { return open_.empty() ? taken_ : *open_.begin() - 1; }

void Notifier::keep_mark(std::uint64_t seq) {
  std::lock_guard lock(mark_mutex_);
  if (seq <= kept_) return;
  auto written = write_mark(mark_, seq);
  warn_unless(written);
  if (written) kept_ = seq;
}

void Notifier::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && busy_.empty(); });
}

}  // namespace wm::master
