#include "test/examples/course.h"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>

#include "test/examples/faults.h"

namespace example {
namespace {

using namespace wm::groups;
constexpr double kTolerance = 1e-9;  // relative, DESIGN 5.2

struct Options {
  std::string data;
  std::uint64_t passes = 5, batch = 16, effective = 48, step_ms = 0, checkpoints = 1;
};

Trainer* stopped_by_signal = nullptr;  // what a handler can reach
volatile std::sig_atomic_t stop_signal = 0;
void on_stop(int number) {
  stop_signal = number;
  if (stopped_by_signal) stopped_by_signal->request_stop();
}

// bkill and run limits begin with these; SIGINT and SIGUSR2 only under WM.
void catch_stops(Trainer& trainer, bool under_wm) {
  stopped_by_signal = &trainer;
  std::signal(SIGTERM, on_stop);
  if (!under_wm) return;
  std::signal(SIGINT, on_stop);
  std::signal(SIGUSR2, on_stop);
}

// Hashes of the weights: after every step in weights.csv (step, epoch of membership, hash), after
// every pass in hash.csv (pass, hash). A line is one write, as in the records.
class Hashes {
 public:
  explicit Hashes(const std::string& log_dir) {
    if (log_dir.empty()) return;
    steps_.reset(open(log_dir + "/weights.csv"));
    passes_.reset(open(log_dir + "/hash.csv"));
  }
  void write(const wm_step& step, bool ends_pass, std::uint64_t hash) {
    auto text = static_cast<unsigned long long>(hash);
    if (steps_)
      std::fprintf(steps_.get(), "%llu,%u,%016llx\n", static_cast<unsigned long long>(step.step),
                   step.epoch, text);
    if (passes_ && ends_pass) std::fprintf(passes_.get(), "%u,%016llx\n", step.data_epoch, text);
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  static std::FILE* open(const std::string& path) {
    auto* file = std::fopen(path.c_str(), "ae");
    if (file) std::setvbuf(file, nullptr, _IOLBF, BUFSIZ);
    return file;
  }
  std::unique_ptr<std::FILE, Close> steps_, passes_;
};

double relative(double a, double b) { return std::fabs(a - b) / std::max(1e-12, std::fabs(b)); }

// The same training in one process: the largest relative difference of weights and losses.
double difference(const Course& course, DigitsModel& model, const DigitsModel& found,
                  const Progress& progress) {
  Course alone = course;
  alone.batch_size = course.effective_batch_size;
  alone.checkpoint_freq = 0;
  Trainer trainer(alone, model, nullptr, {});
  trainer.train();
  double worst = std::max(relative(progress.trained.loss, trainer.progress().trained.loss),
                          relative(progress.tested.loss, trainer.progress().tested.loss));
  for (std::size_t i = 0; i < found.weights().size(); ++i)
    worst = std::max(worst, relative(found.weights()[i], model.weights()[i]));
  bool same =
      trainer.progress().step == progress.step && trainer.progress().samples == progress.samples;
  return same ? worst : HUGE_VAL;
}

// Rank 0's last words; the exit status. `model`: a fresh one.
int conclude(const Course& course, DigitsModel& model, const DigitsModel& found,
             const Progress& progress) {
  double worst = difference(course, model, found, progress);
  std::printf("%llu steps, accuracy %.4f, differs from one process by %.2e\ntrain returned\n",
              static_cast<unsigned long long>(progress.step),
              progress.tested.right / progress.tested.samples, worst);
  return worst < kTolerance ? 0 : 1;
}

int run(const Program& program, const Options& options) {
  std::string why;
  auto say = [&](const std::string& text) {
    std::fprintf(stderr, "%s: %s\n", program.name, text.c_str());
    return 1;
  };
  auto train = load_digits(options.data, "train", why);
  auto test = load_digits(options.data, "t10k", why);
  if (!train || !test) return say(why);
  auto place = place_from_environment();
  std::shared_ptr<Backend> backend;
  if (!place.socket.empty() && program.backend && !(backend = program.backend(why)))
    return say(why);
  Course course{.epochs = options.passes,
                .batch_size = options.batch,
                .effective_batch_size = options.effective,
                .train_samples = train->size(),
                .test_samples = test->size(),
                .seed = 7,
                .checkpoint_freq = options.checkpoints};
  auto model = program.model(*train, *test);
  Hashes hashes(place.log_dir);
  std::unique_ptr<Trainer> trainer;
  auto next_step = [&trainer]() -> std::uint64_t {
    const auto& progress = trainer->progress();
    return progress.phase == Progress::Phase::Train ? progress.step + 1 : 0;
  };
  if (backend) backend = with_faults(std::move(backend), next_step);
  auto after = [&](const wm_step& step) {
    hashes.write(step, step.end == train->size(), model->hash());
    if (options.step_ms && ::access("hurry", F_OK) != 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(options.step_ms));
  };
  trainer = std::make_unique<Trainer>(course, *model, std::move(backend), place, after);
  catch_stops(*trainer, !place.socket.empty() || program.world);
  if (program.world) trainer->use_world(program.world());
  auto end = trainer->train();
  program.end();
  if (end == End::Failed) return say(trainer->error());
  if (end == End::Stopped && stop_signal) {
    std::signal(stop_signal, SIG_DFL);
    std::raise(stop_signal);
  }
  if (end != End::First) return 0;
  return conclude(course, *program.model(*train, *test), *model, trainer->progress());
}

// False: not an option of this program.
bool take(Options& options, std::string_view name, const char* value) {
  if (name == "--data") {
    options.data = value;
    return true;
  }
  auto* number = name == "--passes"        ? &options.passes
                 : name == "--batch"       ? &options.batch
                 : name == "--effective"   ? &options.effective
                 : name == "--step-ms"     ? &options.step_ms
                 : name == "--checkpoints" ? &options.checkpoints
                                           : nullptr;
  const char* end = value + std::strlen(value);
  return number && std::from_chars(value, end, *number).ptr == end;
}

}  // namespace

std::uint64_t DigitsModel::hash() const {
  std::uint64_t sum = 0xcbf29ce484222325ull;
  const auto* bytes = reinterpret_cast<const unsigned char*>(weights().data());
  for (std::size_t i = 0; i < sizeof(double) * weights().size(); ++i)
    sum = (sum ^ bytes[i]) * 0x100000001b3ull;
  return sum;
}

int run_program(const Program& program, int argc, char** argv) {
  Options options;
  bool good = argc % 2 == 1;
  for (int i = 1; good && i + 1 < argc; i += 2) good = take(options, argv[i], argv[i + 1]);
  if (good && !options.data.empty() && options.batch && options.effective)
    return run(program, options);
  std::fprintf(stderr,
               "usage: %s --data DIR [--passes N] [--batch N] [--effective N] "
               "[--step-ms MS] [--checkpoints PASSES]\n",
               program.name);
  return 2;
}

}  // namespace example
