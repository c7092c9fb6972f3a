#include "daemons/wuserd/files/results_use.h"

#include <fts.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/base/log.h"
#include "libwm/files/whole_file.h"

namespace wm::user {
namespace {

constexpr std::int64_t kCountedAgain = 600;  // seconds
constexpr int kNice = 10;
constexpr std::uint64_t kStatBlock = 512;  // of st_blocks, whatever the file system's is

std::string kept_at(const std::string& root) { return root + "/.used"; }

ResultsUse read_kept(const std::string& root) {
  auto text = read_file(kept_at(root), Bytes{4096});
  auto json = text ? json_or_null(*text) : Json();
  if (!json.is_object()) return {};
  auto number = [&](const char* name) -> std::uint64_t {
    auto found = json.find(name);
    return found != json.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
  };
  ResultsUse use{number("bytes"), number("files"), static_cast<std::int64_t>(number("counted"))};
  return use.counted <= now_s() ? use : ResultsUse{};
}

void keep(const std::string& root, const ResultsUse& use) {
  Json json{{"bytes", use.bytes}, {"files", use.files}, {"counted", use.counted}};
  auto kept = replace_file(kept_at(root), to_text(json) + "\n", 0600);
  if (!kept) log::info("results_use_not_kept", {{"why", kept.error().text}});
}

}  // namespace

ResultsUse count_results(const std::string& root, const std::atomic<bool>& stop) {
  ResultsUse use;
  std::string path = root;
  char* paths[] = {path.data(), nullptr};
  std::unique_ptr<FTS, int (*)(FTS*)> walk(::fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, nullptr),
                                           &::fts_close);
  std::set<std::pair<dev_t, ino_t>> seen;  // of those with several names
  while (FTSENT* entry = walk && !stop ? ::fts_read(walk.get()) : nullptr) {
    if (entry->fts_info != FTS_F) continue;
    const struct stat& facts = *entry->fts_statp;
    if (facts.st_nlink > 1 && !seen.emplace(facts.st_dev, facts.st_ino).second) continue;
    use.bytes += static_cast<std::uint64_t>(facts.st_blocks) * kStatBlock;
    ++use.files;
  }
  use.counted = now_s();
  return use;
}

ResultsRoom room_for(const ResultsUse& use, Bytes quota) {
  if (quota.value <= 0 || use.counted == 0) return ResultsRoom::Enough;
  auto most = static_cast<std::uint64_t>(quota.value);
  if (use.bytes >= most) return ResultsRoom::None;
  return use.bytes >= most - most / 10 ? ResultsRoom::Scarce : ResultsRoom::Enough;
}

std::string room_words(const ResultsUse& use, Bytes quota) {
  return "your results hold " + format_bytes(Bytes{static_cast<std::int64_t>(use.bytes)}) +
         " of the " + format_bytes(quota) +
         " that results_quota of this cluster lets you have: delete runs that you do not need";
}

ResultsCount::ResultsCount(std::string root) : root_(std::move(root)), known_(read_kept(root_)) {}

ResultsCount::~ResultsCount() {
  stop_ = true;
  wait();
}

ResultsUse ResultsCount::use() {
  std::lock_guard lock(mutex_);
  bool old = now_s() - known_.counted >= kCountedAgain;
  if ((old || removed_) && !counting_) begin();
  return known_;
}

void ResultsCount::begin() {
  if (thread_.joinable()) thread_.join();  // it has ended
  removed_ = false;
  counting_ = true;
  thread_ = std::thread([this] { count(); });
}

// Behind all else that this user does.
void ResultsCount::count() {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kNice);
  auto use = count_results(root_, stop_);
  if (!stop_) {
    keep(root_, use);
    std::lock_guard lock(mutex_);
    known_ = use;
  }
  counting_ = false;
}

void ResultsCount::wait() {
  std::thread ending;
  {
    std::lock_guard lock(mutex_);
    ending = std::move(thread_);
  }
  if (ending.joinable()) ending.join();
}

}  // namespace wm::user
