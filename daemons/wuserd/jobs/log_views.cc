#include "daemons/wuserd/jobs/log_views.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "daemons/wuserd/jobs/outputs.h"
#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/files/fd.h"

namespace wm::user {
namespace {

constexpr std::size_t kSearchBlock = 1 << 20;
constexpr std::uint64_t kMostSearched = 1ULL << 30, kMostTail = 1 << 20;
// Of all workers in one answer.
constexpr std::uint64_t kMostMerged = 4 << 20;
// A line that nothing was added to for so long is shown without its end.
constexpr double kStillS = 2;

/// A regular file of a worker's, open.
struct WorkerFile {
  std::uint32_t task = 0;
  const char* stream = "";
  Fd fd;
  std::uint64_t size = 0;
  double changed = 0;
};

// A fifo would have us wait; a link may lead anywhere.
WorkerFile open_worker(const WorkerFolder& worker, const char* stream) {
  WorkerFile file{worker.number, stream, {}, 0, 0};
  auto path = worker.folder + "/" + stream;
  file.fd.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat facts {};
  bool good = file.fd && ::fstat(file.fd.get(), &facts) == 0 && S_ISREG(facts.st_mode);
  if (!good) {
    file.fd.reset();
    return file;
  }
  file.size = static_cast<std::uint64_t>(facts.st_size);
  file.changed =
      static_cast<double>(facts.st_mtim.tv_sec) + static_cast<double>(facts.st_mtim.tv_nsec) / 1e9;
  return file;
}

std::string read_at(const WorkerFile& file, std::uint64_t from, std::uint64_t most) {
  std::string text(static_cast<std::size_t>(most), '\0');
  auto n = ::pread(file.fd.get(), text.data(), text.size(), static_cast<off_t>(from));
  text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return text;
}

/// How much may still be read, and until when.
struct Budget {
  std::uint64_t bytes = kMostSearched;
  TimePoint until;
  bool over() const { return bytes == 0 || steady_now() >= until; }
};

// False: the budget was over before the file.
bool search_file(const WorkerFile& file, rest::LineSearch& search, Budget& budget) {
  std::uint64_t at = 0;
  while (at < file.size) {
    if (budget.over()) return false;
    auto want = std::min<std::uint64_t>({kSearchBlock, file.size - at, budget.bytes});
    auto block = read_at(file, at, want);
    if (block.empty()) break;
    search.take(block);
    at += block.size();
    budget.bytes -= std::min<std::uint64_t>(budget.bytes, block.size());
  }
  search.end();
  return true;
}

Result<std::uint64_t> count_in(const std::string& name, const std::string& text) {
  std::uint64_t value = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec == std::errc() && end == text.data() + text.size()) return value;
  return fail(Code::BadArgument,
              name + ": '" + text.substr(0, 40) + "': a number of bytes is wanted");
}

/// Where a part begins, and its text.
struct MergedPart {
  std::uint64_t from = 0;
  std::string text;
};

// `have`: what the page has of it; none: it begins near its end, with a whole line.
MergedPart part_of(const WorkerFile& file, const std::uint64_t* have, std::uint64_t most) {
  auto from = have != nullptr ? *have : file.size - std::min(file.size, most);
  // Shorter than it was: another file stands there.
  if (from > file.size) from = file.size - std::min(file.size, most), have = nullptr;
  auto text = read_at(file, from, std::min(most, file.size - from));
  bool cut = have == nullptr && from > 0;
  if (auto first = text.find('\n'); cut && first != text.npos) {
    text.erase(0, first + 1);
    from += first + 1;
  }
  bool still =
      epoch_seconds(wall_now()) - file.changed > kStillS && from + text.size() == file.size;
  if (!still) text.resize(rest::whole_lines(text));
  return {from, std::move(text)};
}

}  // namespace

std::string found_lines_json(const std::string& result_dir, const rest::LineWish& wish,
                             TimePoint until) {
  Json matches = Json::array();
  std::uint64_t count = 0;
  bool complete = true;
  Budget budget{kMostSearched, until};
  for (const auto& worker : workers_of(result_dir)) {
    for (const char* stream : {"stdout", "stderr"}) {
      auto file = open_worker(worker, stream);
      if (!file.fd) continue;
      auto left = wish;
      left.most = wish.most - matches.size();
      rest::LineSearch search(left);
      complete = search_file(file, search, budget) && complete;
      count += search.count();
      for (const auto& line : search.found())
        matches.push_back({{"task", worker.number},
                           {"stream", stream},
                           {"at", line.at},
                           {"line", line.line},
                           {"text", line.text}});
    }
    if (!complete) break;
  }
  return to_text(Json{{"matches", matches}, {"count", count}, {"complete", complete}});
}

Result<MergedWish> merged_wish(const std::string& tail, const std::string& have) {
  MergedWish wish;
  if (!tail.empty()) {
    WM_TRY(wish.tail, count_in("tail", tail));
  }
  if (wish.tail > kMostTail)
    return fail(Code::BadArgument, "tail: at most " + std::to_string(kMostTail) + " bytes");
  std::istringstream list(have);
  for (std::string one; std::getline(list, one, ',');) {
    WM_TRY(auto bytes, count_in("have", one));
    wish.have.push_back(bytes);
    if (wish.have.size() > 2 * kMostMergedWorkers)
      return fail(Code::BadArgument, "have: more than there are files");
  }
  return wish;
}

std::string merged_json(const std::string& result_dir, const MergedWish& wish) {
  auto workers = workers_of(result_dir);
  auto shown = std::min(workers.size(), kMostMergedWorkers);
  auto most = kMostMerged / std::max<std::uint64_t>(1, 2 * shown);
  Json parts = Json::array();
  std::size_t index = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    for (const char* stream : {"stdout", "stderr"}) {
      const auto* have = index < wish.have.size() ? &wish.have[index] : nullptr;
      ++index;
      auto file = open_worker(workers[i], stream);
      MergedPart part;
      if (file.fd) part = part_of(file, have, have ? most : std::min(most, wish.tail));
      parts.push_back({{"task", workers[i].number},
                       {"stream", stream},
                       {"from", part.from},
                       {"to", part.from + part.text.size()},
                       {"size", file.size},
                       {"changed", file.changed},
                       {"text", part.text}});
    }
  }
  return to_text(Json{{"parts", parts}, {"left_out", workers.size() - shown}});
}

}  // namespace wm::user
