// Role: what it costs to look for what has run among many. Prints `name value unit` lines
// (medians); runs of 200 users, a fifth of them one user's, in 12 kinds of name.
//   runs_write_per_s       records a second that become durable, 500 at a time
//   runs_db_mb             the file
//   runs_list_1m_ms        20 runs, the newest first, by state, user and a name's beginning
//   runs_text_1m_ms        the same with a text that ten runs have, of who sees but their own
//   runs_rare_name_1m_ms   the same with a beginning that few names have
//   runs_count_1m_ms       how many answer, up to 1,000
//   run_open_1m_ms         one run with what its owner says
// Usage: runs_bench [DIR [RUNS]]: DIR keeps archive.db; default: a folder under $B that goes, and
// 1,000,000 runs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

#include "daemons/wmasterd/verbs/runs.h"
#include "libwm/codec/codec.h"
#include "libwm/codec/packed.h"

namespace wm {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point began) {
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}
void print(const char* name, double value, const char* unit) {
  std::printf("%s %.4g %s\n", name, value, unit);
  std::fflush(stdout);
}
void stop(const Error& error) {
  std::fprintf(stderr, "runs_bench: %s\n", error.text.c_str());
  std::exit(1);
}
template <class T>
T must(Result<T> made) {
  if (!made) stop(made.error());
  return std::move(*made);
}

// A record as a training leaves it: some 600 bytes packed.
std::string views_of(std::uint32_t job) {
  JobView view;
  auto what = std::make_shared<Job>();
  auto sealed = std::make_shared<SealedSpec>();
  sealed->spec.owner = {1000 + job % 200, 100, "user" + std::to_string(job % 200)};
  sealed->spec.name = "train-" + std::to_string(job);
  sealed->spec.exec.args = "--exec-start PyTorch --model-main train.py --lr 0." +
                           std::to_string(job * 7919 % 100000) + " --seed " + std::to_string(job);
  sealed->spec.program.cwd = "projects/vision-" + std::to_string(job % 200);
  what->id = {job, 0};
  what->sealed = std::move(sealed);
  what->state = JobState::Finished;
  what->times.submitted = WallTime(Duration(std::int64_t{job} * 1'000'000));
  view.job = std::move(what);
  view.id = {job, 0};
  view.result_dir = "/shared/results/user/batchworkdir/" + std::to_string(job);
  PackedRun run;
  run.first = codec::encode(view);
  return codec::packed(codec::encode(run));
}

store::RunRow row_of(std::uint32_t job) {
  static const char* kNames[] = {"mnist", "resnet", "bert", "gpt", "vit", "unet",
                                 "llama", "cifar",  "yolo", "gan", "rnn", "svm"};
  store::RunRow row;
  row.job = job;
  row.seq = Seq{job};
  auto user = job % 5 == 0 ? 0u : job % 200;
  row.uid = 1000 + user;
  row.user = "user" + std::to_string(user);
  row.name = std::string(kNames[job * 2654435761u % 12]) + "-" + std::to_string(job);
  row.queue = "normal", row.app = "training", row.plan = "/research", row.project = "default";
  row.framework = "PyTorch", row.kind = AppType::Training;
  row.state = job % 7 ? JobState::Finished : JobState::Failed;
  row.submitted = row.started = WallTime(Duration(std::int64_t{job} * 1'000'000));
  row.ended = row.submitted + std::chrono::minutes(10);
  row.text =
      "--exec-start PyTorch --model-main train.py --lr 0." + std::to_string(job * 7919 % 100000);
  if (job % 100'000 == 55'555) row.text += " --secret zebrafish";
  row.views = views_of(job);
  return row;
}

void fill(const store::StoreFiles& files, std::uint32_t count) {
  auto db = must(store::ArchiveDb::open(files));
  auto began = Clock::now();
  for (std::uint32_t job = 1; job <= count;) {
    std::vector<store::ArchiveStep> steps;
    for (int i = 0; i < 500 && job <= count; ++i, ++job)
      steps.push_back({row_of(job), {}, {}, false});
    if (auto done = db->apply(steps, Seq{job}); !done) stop(done.error());
  }
  print("runs_write_per_s", count / ms_since(began) * 1000, "1/s");
}

double median_of(const std::function<void()>& act) {
  std::vector<double> times;
  for (int i = 0; i < 21; ++i) {
    auto began = Clock::now();
    act();
    times.push_back(ms_since(began));
  }
  std::nth_element(times.begin(), times.begin() + 10, times.end());
  return times[10];
}

void measure(const store::StoreFiles& files) {
  master::ViewSource source;
  source.state = std::make_shared<const Cluster>();
  source.reasons = std::make_shared<master::PendReasons>();
  master::RunAsker all{"boss", 0, [](bool, const std::string&) { return JobInfo::All; }};
  master::RunAsker own{"user0", 1000, [](bool mine, const std::string&) {
                         return mine ? JobInfo::All : JobInfo::None;
                       }};
  auto ask = [&](RunsRequest request, const master::RunAsker& asker, std::size_t least) {
    auto reply = must(master::page_of_runs(source, &files, request, asker));
    if (reply.runs.size() >= least) return;
    std::fprintf(stderr, "runs_bench: %zu runs, %zu wanted\n", reply.runs.size(), least);
    std::exit(1);
  };
  RunsRequest three{.query = {.user = "user0", .name = "bert*", .states = {JobState::Finished}},
                    .limit = 20};
  print("runs_list_1m_ms", median_of([&] { ask(three, all, 20); }), "ms");
  auto text = three;
  text.query.name.clear();
  text.query.text = "zebrafish";
  print("runs_text_1m_ms", median_of([&] { ask(text, own, 1); }), "ms");
  auto rare = three;
  rare.query.name = "bert-5000*";
  print("runs_rare_name_1m_ms", median_of([&] { ask(rare, own, 1); }), "ms");
  auto count = three;
  count.count = true;
  print("runs_count_1m_ms", median_of([&] { ask(count, own, 20); }), "ms");
  RunsRequest one{.query = {.jobs = {500'000 / 2}, .user = "all"}, .whole = true};
  print("run_open_1m_ms", median_of([&] { ask(one, all, 1); }), "ms");
}

}  // namespace
}  // namespace wm

int main(int argc, char** argv) {
  using namespace wm;
  const char* build = std::getenv("B");
  bool given = argc > 1;
  std::string dir = given ? argv[1] : std::string(build ? build : "/tmp") + "/runs_bench";
  auto count = argc > 2 ? static_cast<std::uint32_t>(std::atoi(argv[2])) : 1'000'000u;
  std::filesystem::create_directories(dir);
  store::StoreFiles files{dir, ""};
  if (!std::filesystem::exists(dir + "/archive.db")) fill(files, count);
  auto reader = must(store::ArchiveReader::open(files));
  print("runs_db_mb", static_cast<double>(must(reader->facts()).bytes.value) / (1 << 20), "MiB");
  measure(files);
  if (!given) std::filesystem::remove_all(dir);
}
