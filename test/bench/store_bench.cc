// Role: what durability costs. Prints `name value unit` lines.
//   store_rows_per_s_1, _100, _1000   events a second at so many a transaction
//   store_commit_ms                   one event, durable (median)
//   store_group_commit_per_s          submits of one event through the committer, 256 waiting
//   store_snapshot_ms                 a snapshot of 32 MiB
//   store_commit_p99_during_snapshot_ms  commits of one event while one is written
//   store_read_rows_per_s             events read back at restart
// Usage: store_bench [DIR]: a directory on the disk to measure; default: $B, the build folder.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "libwm/store/core/committer.h"
#include "libwm/store/core/core_db.h"

namespace wm::store {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

void print(const char* name, double value, const char* unit) {
  std::printf("%s %.4g %s\n", name, value, unit);
  std::fflush(stdout);
}

// Batches of events of a usual size (200 bytes), numbered on.
class Source {
 public:
  Batch batch(int rows) {
    Batch made;
    for (int i = 0; i < rows; ++i)
      made.events.push_back({Seq{++last_}, WallTime(Duration(last_)), 3, 1, std::string(200, 'e')});
    return made;
  }
  Seq last() const { return Seq{last_}; }

 private:
  std::uint64_t last_ = 0;
};

void must(const Result<void>& done) {
  if (done) return;
  std::fprintf(stderr, "store_bench: %s\n", done.error().text.c_str());
  std::exit(1);
}

void rows_per_second(CoreDb& db, Source& source, int rows, const char* name) {
  auto began = Clock::now();
  std::int64_t written = 0;
  for (; seconds_since(began) < 1.5; written += rows) must(db.append(source.batch(rows)));
  print(name, static_cast<double>(written) / seconds_since(began), "1/s");
}

void commit_time(CoreDb& db, Source& source) {
  std::vector<double> times;
  for (int i = 0; i < 501; ++i) {
    auto began = Clock::now();
    must(db.append(source.batch(1)));
    times.push_back(seconds_since(began) * 1e3);
  }
  std::nth_element(times.begin(), times.begin() + 250, times.end());
  print("store_commit_ms", times[250], "ms");
}

void group_commit(CoreDb& db, Source& source) {
  constexpr int kSubmits = 40'000, kWaiting = 256;
  std::mutex mutex;
  std::condition_variable changed;
  int done = 0;
  auto began = Clock::now();
  {
    Committer committer(db, [&](std::function<void()> f) {
      std::lock_guard lock(mutex);
      f();
      changed.notify_one();
    });
    for (int sent = 0; sent < kSubmits; ++sent) {
      committer.submit(source.batch(1), [&](Result<void> r) { must(r), ++done; });
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return sent - done < kWaiting; });
    }
  }
  print("store_group_commit_per_s", kSubmits / seconds_since(began), "1/s");
}

void snapshot(CoreDb& db, Source& source) {
  std::string state(std::size_t{32} << 20, 's');
  std::atomic<bool> writing = true;
  double took = 0;
  std::vector<double> times;
  std::thread worker([&, seq = source.last()] {
    auto began = Clock::now();
    must(db.write_snapshot({seq, state}));
    took = seconds_since(began) * 1e3;
    writing = false;
  });
  while (writing) {
    auto began = Clock::now();
    must(db.append(source.batch(1)));
    times.push_back(seconds_since(began) * 1e3);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  worker.join();
  print("store_snapshot_ms", took, "ms");
  std::sort(times.begin(), times.end());
  print("store_commit_p99_during_snapshot_ms", times[times.size() * 99 / 100], "ms");
}

void read_back(CoreDb& db) {
  auto began = Clock::now();
  Seq next{1};
  while (next.value < 200'000) {
    auto rows = db.read_events(next);
    WM_CHECK(rows.has_value());
    if (rows->empty()) break;
    next.value += rows->size();
  }
  print("store_read_rows_per_s", static_cast<double>(next.value - 1) / seconds_since(began), "1/s");
}

void run(const std::string& dir) {
  auto db = CoreDb::open({.dir = dir, .reserve = Bytes{1 << 20}});
  if (!db) must(db.error());
  Source source;
  rows_per_second(**db, source, 1, "store_rows_per_s_1");
  rows_per_second(**db, source, 100, "store_rows_per_s_100");
  rows_per_second(**db, source, 1000, "store_rows_per_s_1000");
  commit_time(**db, source);
  group_commit(**db, source);
  snapshot(**db, source);
  read_back(**db);
}

}  // namespace
}  // namespace wm::store

int main(int argc, char** argv) {
  // Google Benchmark's options, which `make bench` gives to all, mean nothing here.
  const char* build = std::getenv("B");
  std::string base = argc > 1 && argv[1][0] != '-' ? argv[1] : build ? build : ".";
  std::string dir = base + "/store_bench.XXXXXX";
  if (!::mkdtemp(dir.data())) return 1;
  wm::store::run(dir);
  std::filesystem::remove_all(dir);
}
