// Role: what accounting of many jobs costs: writing its rows, and bacct's questions. Prints
// `name value unit` lines; jobs of 31 days, 480 kinds, half of them one user's.
//   acct_write_jobs_per_s      jobs a second that get their rows of all stages written
//   acct_user_ms, _by_plan_ms, _by_month_ms   bacct of the user with half of the jobs (median)
//   acct_cut_ms                the same from noon to noon
//   acct_all_by_user_ms        bacct -u all -by user
//   acct_db_mb                 the file
// Usage: acct_bench [DIR [JOBS]]: DIR keeps acct.db; default: a folder under $B that goes, and
// 100,000 jobs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "daemons/wmasterd/acct/acct_query.h"
#include "libwm/store/acct/acct_db.h"

namespace wm {
namespace {

using Clock = std::chrono::steady_clock;
using store::AcctRows;

constexpr std::int64_t kFrom = 1'790'805'600;  // 2026-10-01 in Berlin
constexpr std::int64_t kLength = std::int64_t{31} * 86'400;
constexpr std::uint32_t kHosts = 1000, kKinds = 480, kChunk = 1000;

double ms_since(Clock::time_point began) {
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}
void print(const char* name, double value, const char* unit) {
  std::printf("%s %.4g %s\n", name, value, unit);
  std::fflush(stdout);
}
template <class T>
T must(Result<T> made) {
  if (made) return std::move(*made);
  std::fprintf(stderr, "acct_bench: %s\n", made.error().text.c_str());
  std::exit(1);
}
void must(const Result<void>& done) {
  if (done) return;
  std::fprintf(stderr, "acct_bench: %s\n", done.error().text.c_str());
  std::exit(1);
}
WallTime at(double s) {
  return WallTime(Duration(static_cast<std::int64_t>((static_cast<double>(kFrom) + s) * 1e6)));
}

/// One job of many, at each of its stages.
class Jobs {
 public:
  explicit Jobs(std::uint32_t count) : count_(count) {}

  AcctRows hosts() {
    AcctRows rows;
    rows.seq = Seq{++seq_};
    for (std::uint32_t h = 0; h < kHosts; ++h) {
      auto name = "host" + std::to_string(h);
      rows.hosts.push_back({name, at(0), {}, "ok", "", "", 64000, 64000, Bytes{1LL << 39}, Seq{1}});
      for (std::uint32_t g = 0; g < 4; ++g)
        rows.gpus.push_back({name,
                             name + "-gpu" + std::to_string(g),
                             at(0),
                             {},
                             g,
                             "H100",
                             1000,
                             "ok",
                             "",
                             Seq{1}});
    }
    for (int p = 0; p < 12; ++p)
      rows.plans.push_back({"/p" + std::to_string(p), at(0), {}, 1, 4000, -1, -1, Seq{1}});
    rows.plans.push_back({"/", at(0), {}, 1, 0, -1, -1, Seq{1}});
    return rows;
  }

  AcctRows submitted(std::uint32_t from) {
    return stage(from, [&](AcctRows& rows, std::uint32_t i) {
      auto row = job(i);
      row.state = "pending";
      row.dispatched = row.started = row.ended = {};
      rows.jobs.push_back(row);
      line(rows, i, row.submitted, "SUBMIT");
    });
  }
  AcctRows started(std::uint32_t from) {
    return stage(from, [&](AcctRows& rows, std::uint32_t i) {
      auto row = job(i);
      row.state = "running", row.ended = {};
      rows.jobs.push_back(row);
      line(rows, i, row.dispatched, "DISPATCH");
      line(rows, i, row.started, "START");
      if (i % 10 == 0) line(rows, i, row.dispatched, "PROMISE_ERROR", i % 7000);
      rows.attempts.push_back(attempt(row, false));
      for (std::uint32_t t = 0; t < 2; ++t) rows.allocations.push_back(part(row, t, false));
    });
  }
  AcctRows ended(std::uint32_t from) {
    return stage(from, [&](AcctRows& rows, std::uint32_t i) {
      auto row = job(i);
      rows.jobs.push_back(row);
      line(rows, i, row.ended, "USAGE");
      line(rows, i, row.ended, "END");
      rows.attempts.push_back(attempt(row, true));
      for (std::uint32_t t = 0; t < 2; ++t) rows.allocations.push_back(part(row, t, true));
    });
  }

 private:
  template <class Add>
  AcctRows stage(std::uint32_t from, Add add) {
    AcctRows rows;
    rows.seq = Seq{++seq_};
    for (auto i = from; i < std::min(from + kChunk, count_); ++i) add(rows, i);
    rows.horizon = at(static_cast<double>(kLength) + 3600);
    return rows;
  }
  store::JobRow job(std::uint32_t i) const {
    auto kind = i % kKinds;
    store::JobRow row;
    row.id = {i + 1, 0};
    row.user = i % 2 ? "user" + std::to_string(kind % 37) : "ada";
    row.plan = "/p" + std::to_string(kind % 12), row.queue = kind % 3 ? "normal" : "gpu";
    row.project = "project" + std::to_string(kind % 8), row.app = kind % 5 ? "" : "training";
    row.name = "train-" + std::to_string(kind), row.command = "python3 train.py --lr 0.1";
    row.cwd = "/home/" + row.user + "/runs", row.submit_host = "login1";
    row.exec_hosts = host(i, 0) + " " + host(i, 1);
    row.state = i % 20 ? "finished" : "failed", row.exit_status = i % 20 ? 0 : 256;
    auto began = static_cast<double>(i) / count_ * (static_cast<double>(kLength) - 90'000);
    row.submitted = at(began), row.dispatched = at(began + i % 600);
    row.started = at(began + i % 600 + 0.3);
    row.ended = at(began + i % 600 + 60 + (i * 7919ULL) % 3600);
    row.attempt = Attempt{1}, row.slots = 2, row.gpus = i % 4 ? 0 : 2000;
    row.slot_time = (row.ended - row.dispatched) * 2;
    row.gpu_time = row.gpus ? row.slot_time : Duration{};
    row.cpu = row.slot_time * 2 / 3, row.max_mem = Bytes{std::int64_t{3} << 30};
    return row;
  }
  static std::string host(std::uint32_t i, std::uint32_t task) {
    return "host" + std::to_string((i * 2 + task) % kHosts);
  }
  store::AttemptRow attempt(const store::JobRow& job, bool over) const {
    store::AttemptRow row;
    row.job = job.id, row.attempt = Attempt{1}, row.user = job.user, row.plan = job.plan;
    row.queue = job.queue, row.project = job.project, row.app = job.app, row.tasks = 2;
    row.dispatched = job.dispatched, row.started = job.started;
    row.queue_wait = job.dispatched - job.submitted;
    if (!over) return row;
    row.ended = job.ended, row.outcome = job.state, row.exit_status = job.exit_status;
    row.host = host(job.id.job - 1, 0), row.cpu = job.cpu, row.max_mem = job.max_mem;
    row.slot_ms = job.slot_time.count() / 1000, row.cpu_mms = row.slot_ms * 1000;
    row.gpu_mms = row.gpueq_mms = job.gpu_time.count();
    row.mem_mib_s = row.slot_ms / 1000 * 4096;
    return row;
  }
  store::AllocationRow part(const store::JobRow& job, std::uint32_t task, bool over) const {
    store::AllocationRow row;
    row.job = job.id, row.attempt = Attempt{1}, row.task = TaskNumber{task + 1};
    row.host = host(job.id.job - 1, task);
    row.slots = row.milli_cpus = 1000, row.mem = Bytes{std::int64_t{4} << 30};
    if (job.gpus) {
      row.gpus = row.gpueq = 1000;
      row.gpu_list = row.host + "-gpu" + std::to_string(job.id.job % 4);
    }
    row.start = job.dispatched, row.end = over ? job.ended : WallTime{}, row.seq = Seq{seq_};
    return row;
  }
  void line(AcctRows& rows, std::uint32_t i, WallTime time, const char* word, std::int64_t to = 0) {
    rows.events.push_back({{i + 1, 0},
                           rows.seq,
                           static_cast<std::uint32_t>(rows.events.size()),
                           time,
                           word,
                           0,
                           to,
                           "",
                           Duration{-1},
                           -1});
  }

  std::uint32_t count_;
  std::uint64_t seq_ = 0;
};

void fill(const store::StoreFiles& files, std::uint32_t count) {
  auto db = must(store::AcctDb::open(files));
  Jobs jobs(count);
  must(db->apply(jobs.hosts()));
  auto began = Clock::now();
  for (std::uint32_t i = 0; i < count; i += kChunk)
    for (const auto& rows : {jobs.submitted(i), jobs.started(i), jobs.ended(i)})
      must(db->apply(rows));
  print("acct_write_jobs_per_s", count / ms_since(began) * 1000, "1/s");
}

void ask(const store::StoreFiles& files, const char* name, const AcctRequest& request) {
  auto reader = must(store::AcctReader::open(files));
  std::vector<double> times;
  for (int i = 0; i < 11; ++i) {
    auto began = Clock::now();
    must(master::read_account(*reader, request));
    times.push_back(ms_since(began));
  }
  std::nth_element(times.begin(), times.begin() + 5, times.end());
  print(name, times[5], "ms");
}

void ask_all(const store::StoreFiles& files) {
  AcctRequest request;
  request.jobs.user = "ada", request.sums = AcctBy::All;
  ask(files, "acct_user_ms", request);
  request.sums = AcctBy::Plan;
  ask(files, "acct_user_by_plan_ms", request);
  request.sums = AcctBy::Month;
  for (std::int64_t day : {0, 31, 61})
    request.months.push_back(at(static_cast<double>(day) * 86'400));
  ask(files, "acct_user_by_month_ms", request);
  request.sums = AcctBy::All;
  request.ended_from = at(3.5 * 86'400), request.ended_to = at(20.5 * 86'400);
  ask(files, "acct_cut_ms", request);
  request = {};
  request.jobs.user = "all", request.sums = AcctBy::User;
  ask(files, "acct_all_by_user_ms", request);
}

int run(int argc, char** argv) {
  const char* build = std::getenv("B");
  bool stays = argc > 1;
  std::string dir = stays ? argv[1] : std::string(build ? build : "build") + "/acct_bench.dir";
  auto count = static_cast<std::uint32_t>(argc > 2 ? std::atol(argv[2]) : 100'000);
  if (!stays) std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  store::StoreFiles files{dir, ""};
  bool there = std::filesystem::exists(dir + "/acct.db");
  if (!there) fill(files, count);
  else {
    auto began = Clock::now();
    must(store::AcctDb::open(files));
    print("acct_open_ms", ms_since(began), "ms");
  }
  ask_all(files);
  print("acct_db_mb", static_cast<double>(std::filesystem::file_size(dir + "/acct.db")) / 1e6,
        "MB");
  if (!stays) std::filesystem::remove_all(dir);
  return 0;
}

}  // namespace
}  // namespace wm

int main(int argc, char** argv) { return wm::run(argc, argv); }
