#include "daemons/wuserd/jobs/curves.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "daemons/wuserd/jobs/outputs.h"
#include "libwm/base/clock.h"
#include "libwm/files/fd.h"
#include "libwm/rest/event_file.h"
#include "libwm/store/curves/curve_index.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr Duration kPiece = std::chrono::milliseconds(50);
constexpr std::size_t kBlock = 256 << 10;
constexpr std::size_t kLongestLine = 1 << 20;  // a longer one is passed over
constexpr off_t kTail = 16 << 20;

// One index at a time: they are small pieces of work, and a run has one reader.
std::mutex index_lock;

std::string index_of(const std::string& result_dir) { return result_dir + "/metrics.idx"; }

/// What a file with values is.
enum class CurveKind : std::uint8_t { Emetrics, Log, Steps, Events };

/// A file with values.
struct CurveFile {
  std::string path;
  CurveKind kind = CurveKind::Emetrics;
  std::string group = {};  ///< of series that have none in the file
};

constexpr int kDeepestEvents = 5;
constexpr std::size_t kMostLookedAt = 5'000, kMostEventFiles = 64;

// Of TensorBoard, wherever in its results a script has them written; a folder is a group, as there.
std::vector<CurveFile> event_files(const std::string& result_dir) {
  std::vector<CurveFile> found;
  std::size_t looked_at = 0;
  std::error_code ec;
  fs::recursive_directory_iterator at(result_dir, fs::directory_options::skip_permission_denied,
                                      ec);
  for (; !ec && at != fs::recursive_directory_iterator() && ++looked_at < kMostLookedAt;
       at.increment(ec)) {
    auto name = at->path().filename().string();
    if (at.depth() >= kDeepestEvents || name == "_submitted_code") at.disable_recursion_pending();
    if (!name.starts_with("events.out.tfevents")) continue;
    auto group = at->path().parent_path().lexically_relative(result_dir).string();
    found.push_back({at->path().string(), CurveKind::Events, group == "." ? "tensorboard" : group});
  }
  std::ranges::sort(found, {}, &CurveFile::path);
  if (found.size() > kMostEventFiles) found.resize(kMostEventFiles);
  return found;
}

// Scripts without a logger of their own have the default one's, which writes to stdout.
std::vector<CurveFile> curve_files(const std::string& result_dir) {
  std::vector<CurveFile> metrics, logs, steps;
  for (const auto& worker : workers_of(result_dir)) {
    auto path = worker.folder + "/evaluation-metrics.txt";
    if (::access(path.c_str(), R_OK) == 0) metrics.push_back({std::move(path)});
    if (logs.empty()) logs.push_back({worker.folder + "/stdout", CurveKind::Log});
    path = worker.folder + "/steps.csv";
    if (steps.empty() && ::access(path.c_str(), R_OK) == 0)
      steps.push_back({std::move(path), CurveKind::Steps});
  }
  auto all = metrics.empty() ? std::move(logs) : std::move(metrics);
  for (auto& more : {std::move(steps), event_files(result_dir)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Bytes that were read, which may be more than there are, or that all the rest is of no use.
rest::EventsRead each_value(const CurveFile& file, std::string_view text,
                            const rest::MetricSink& sink) {
  switch (file.kind) {
    case CurveKind::Emetrics: return {rest::each_emetric(text, sink)};
    case CurveKind::Log: return {rest::each_logged(text, sink)};
    case CurveKind::Steps: return {rest::each_step(text, sink)};
    case CurveKind::Events: return rest::each_scalar(text, file.group, sink);
  }
  return {};
}

/// An open file of values, and how far it was read.
class Following {
 public:
  Following(store::CurveIndex& index, CurveFile file) : index_(index), file_(std::move(file)) {}

  /// @return false: it is not the file that was read before
  Result<bool> open() {
    fd_ = Fd(::open(file_.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat st {};
    if (!fd_ || ::fstat(fd_.get(), &st) != 0 || !S_ISREG(st.st_mode)) return true;
    size_ = static_cast<std::uint64_t>(st.st_size);
    WM_TRY(at_, index_.source(file_.path));
    bool same = at_.offset == 0 || (at_.inode == st.st_ino && at_.offset <= size_);
    at_.inode = st.st_ino;
    return same;
  }
  std::uint64_t left() const { return size_ - std::min(size_, at_.offset); }
  /// A block more. @return false: nothing more can be read now
  Result<bool> read_on() {
    if (left() == 0) return false;
    text_.resize(std::min<std::uint64_t>(block_, left()));
    auto n = ::pread(fd_.get(), text_.data(), text_.size(), static_cast<off_t>(at_.offset));
    if (n <= 0) return false;
    text_.resize(static_cast<std::size_t>(n));
    store::CurveBatch batch;
    auto [read, damaged] =
        each_value(file_, text_, [&](const auto& name, const rest::MetricPoint& point) {
          batch[name].push_back({point.iteration, point.time_s, point.value});
        });
    if (damaged) read = left();
    if (read > left()) return false;                       // a record that is still being written
    if (read == 0 && text_.size() < block_) return false;  // a line that is still being written
    if (read == 0 && block_ < kLongestLine) {
      block_ *= 2;
      return true;
    }
    at_.offset += read == 0 ? text_.size() : read;
    block_ = kBlock;
    WM_TRY(index_.append(file_.path, at_, batch));
    return true;
  }

 private:
  store::CurveIndex& index_;
  CurveFile file_;
  Fd fd_;
  std::uint64_t size_ = 0;
  std::size_t block_ = kBlock;
  store::CurveSource at_;
  std::string text_;
};

// What is damaged is made anew.
Result<std::unique_ptr<store::CurveIndex>> open_index(const std::string& result_dir) {
  auto made = store::CurveIndex::open(index_of(result_dir));
  if (made || made.error().code != Code::Damaged) return made;
  std::error_code ec;
  for (const char* end : {"", "-journal"}) fs::remove(index_of(result_dir) + end, ec);
  return store::CurveIndex::open(index_of(result_dir));
}

Result<std::vector<Following>> opened(store::CurveIndex& index,
                                      const std::vector<CurveFile>& files) {
  for (int round = 0;; ++round) {
    std::vector<Following> all;
    bool same = true;
    for (const auto& file : files) {
      all.emplace_back(index, file);
      WM_TRY(bool known, all.back().open());
      same = same && known;
    }
    if (same || round > 0) return all;
    WM_TRY(index.clear());
  }
}

Result<std::uint64_t> read_on(store::CurveIndex& index, const std::string& result_dir,
                              Duration limit) {
  auto until = steady_now() + limit;
  WM_TRY(auto files, opened(index, curve_files(result_dir)));
  std::uint64_t left = 0;
  for (auto& file : files) {
    bool more = true;
    while (more && steady_now() < until) {
      WM_TRY(more, file.read_on());
    }
    left += more ? file.left() : 0;
  }
  return left;
}

/// Reads on of runs that somebody looked at, until all is read. @thread its own
class CurveReader {
 public:
  void want(const std::string& result_dir) {
    std::lock_guard lock(mutex_);
    wanted_.insert(result_dir);
    if (!thread_.joinable()) thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
    wake_.notify_one();
  }

 private:
  void run(const std::stop_token& stop) {
    while (true) {
      std::set<std::string> runs;
      {
        std::unique_lock lock(mutex_);
        if (!wake_.wait(lock, stop, [this] { return !wanted_.empty(); })) return;
        runs = wanted_;
      }
      for (const auto& run : runs) {
        auto left = read_curves(run, kPiece);
        std::lock_guard lock(mutex_);
        if (!left || *left == 0) wanted_.erase(run);
        if (stop.stop_requested()) return;
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::set<std::string> wanted_;
  std::jthread thread_;
};

CurveReader& curve_reader() {
  static CurveReader one;
  return one;
}

bool is_wanted(const MetricWish& wish, const store::CurveName& name) {
  return wish.names.empty() ||
         std::ranges::find(wish.names, name.first + " " + name.second) != wish.names.end();
}

rest::MetricPoint point_of(const store::CurveBucket& bucket) {
  return {bucket.last_step,
          bucket.time_s,
          bucket.sum / static_cast<double>(std::max<std::uint64_t>(bucket.count, 1)),
          bucket.least,
          bucket.most,
          bucket.count};
}

Result<rest::Metrics> read_index(store::CurveIndex& index, const MetricWish& wish) {
  rest::Metrics metrics;
  WM_TRY(auto all, index.facts());
  for (const auto& facts : all) {
    if (!is_wanted(wish, facts.name)) continue;
    if (metrics.series().size() == rest::kMostSeries) break;
    std::vector<rest::MetricPoint> points;
    if (wish.most > 0) {
      WM_TRY(auto buckets, index.read(facts.id, wish.from, wish.to, wish.most));
      for (const auto& bucket : buckets) points.push_back(point_of(bucket));
    }
    metrics.put(facts.name, std::move(points),
                {facts.count, facts.last.value, facts.least.value, facts.most.value});
  }
  return metrics;
}

Result<rest::Metrics> indexed(const std::string& result_dir, const MetricWish& wish) {
  std::lock_guard lock(index_lock);
  WM_TRY(auto index, open_index(result_dir));
  WM_TRY(auto left, read_on(*index, result_dir, kPiece));
  WM_TRY(auto metrics, read_index(*index, wish));
  metrics.set_behind(left);
  if (left > 0) curve_reader().want(result_dir);
  return metrics;
}

// Records are read from the beginning on, or not at all.
bool is_small(const std::string& path) {
  std::error_code ec;
  auto size = fs::file_size(path, ec);
  return !ec && size <= static_cast<std::uintmax_t>(kTail);
}

rest::MetricSink into(rest::Metrics& metrics, const MetricWish& wish) {
  return [&metrics, &wish](const rest::MetricName& name, const rest::MetricPoint& point) {
    bool inside = point.iteration >= wish.from && point.iteration <= wish.to;
    if (inside && is_wanted(wish, name)) metrics.add(name, point);
  };
}

}  // namespace

Result<std::uint64_t> read_curves(const std::string& result_dir, Duration limit) {
  std::lock_guard lock(index_lock);
  WM_TRY(auto index, open_index(result_dir));
  return read_on(*index, result_dir, limit);
}

rest::Metrics metrics_of(const std::string& result_dir, const MetricWish& wish) {
  rest::Metrics metrics;
  if (!curve_files(result_dir).empty()) {
    if (auto found = indexed(result_dir, wish)) metrics = std::move(*found);
    else
      for (const auto& file : curve_files(result_dir))
        if (file.kind != CurveKind::Events || is_small(file.path))
          each_value(file, output_end(file.path, kTail), into(metrics, wish));
  }
  bool is_reported = std::ranges::any_of(
      metrics.series(), [](const auto& one) { return one.first.first != rest::kSteps; });
  if (!is_reported)
    rest::each_result(output_end(result_dir + "/val_dict_list.json", kTail), into(metrics, wish));
  return metrics;
}

}  // namespace wm::user
