#include "libwm/trainer/groups/train.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

#include "libwm/trainer/groups/checkpoint.h"
#include "libwm/trainer/groups/membership.h"

namespace wm::groups {
namespace {

using namespace std::chrono_literals;
constexpr auto kLook = 100ms;                  // a request to stop ends a wait so soon
constexpr std::int64_t kReport = 200'000'000;  // ns between two updates of the progress
constexpr std::size_t kAgree = 0, kCheckpoint = 3, kScore = 4, kTail = 7;

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

struct CloseLink {
  void operator()(wm_trainer* link) const { wm_trainer_close(link); }
};
struct CloseRecords {
  void operator()(wm_records* records) const { wm_records_close(records); }
};

const char* text_or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

}  // namespace

// Whether a part of the loop may go on, or how the training ends.
enum class Go { On, Broken, Left, Stopped, Failed };

class Trainer::Run {
 public:
  Run(Course course, Model& model, std::shared_ptr<Backend> backend, Place place,
      std::function<void(const wm_step&)> after_step)
      : course_(course),
        model_(model),
        backend_(std::move(backend)),
        place_(std::move(place)),
        after_step_(std::move(after_step)) {}
  ~Run() { join(delivery_), join(writer_); }

  End train(const std::atomic<bool>& stopping);

  std::shared_ptr<Group> world;  // given, and used from start to end
  Progress progress;
  std::string error;

 private:
  // Samples of the next round: of the job [begin, end), of this worker [offset, offset + size).
  struct Share {
    std::uint64_t begin = 0, end = 0, offset = 0, size = 0;
  };

  bool open();
  End loop(const std::atomic<bool>& stopping);
  Go await();
  Go enter(std::shared_ptr<Group> group);
  Go match_states(const std::vector<double>& standing);
  Go hand_out(const std::vector<int>& behind, bool anybody);
  static bool deliver(Group& group, const std::vector<int>& behind, const std::string& bytes);
  Go receive(int source);
  Go take_over(const std::string& bytes);
  Go round(bool stop_wanted);
  Go train_round();
  Go test_round();
  Go finish_round();
  Go after_round(bool switching, bool checkpoint, bool stop_wanted);
  Go change_group();
  void close_broken();

  Share share() const;
  std::vector<std::uint64_t> samples(const Share& share, std::vector<std::uint64_t>& seeds) const;
  Score own_gradient(const Share& share);
  bool sum(std::vector<double>& numbers, std::size_t tail_at, const Score& own);
  Score summed(const std::vector<double>& numbers, std::size_t tail_at) const;
  void record(const Share& share, std::uint64_t data_epoch, std::int64_t began);
  void take_times(const wm_step& step);
  void report();
  void checkpoint_if_due(std::uint64_t data_epoch);
  void checkpoint(bool wait);
  static void join(std::thread& thread) {
    if (thread.joinable()) thread.join();
  }

  const Course course_;
  Model& model_;
  const std::shared_ptr<Backend> backend_;
  const Place place_;
  const std::function<void(const wm_step&)> after_step_;

  std::unique_ptr<wm_trainer, CloseLink> link_;
  std::unique_ptr<wm_records, CloseRecords> records_;
  std::unique_ptr<Membership> membership_;
  std::shared_ptr<Group> group_;
  bool has_state_ = false;
  std::vector<double> numbers_;      // gradient, then the tail
  std::uint32_t offered_ = 0;        // epoch that this worker said it stands ready for
  bool stop_offered_ = false;        // a checkpoint was asked for by this worker
  bool switched_ = false;            // the pause of the newest switch is not known yet
  std::uint64_t switched_step_ = 0;  // steps applied at that switch
  std::int64_t reported_ns_ = 0;
  double step_s_ = 0, rate_ = 0, exchange_s_ = 0;  // of late, in this group
  std::int64_t exchanged_ns_ = 0;                  // in the newest step
  std::thread delivery_, writer_;
};

// ---- course of a training ------------------------------------------------------------

bool Trainer::Run::open() {
  wm_trainer* link = nullptr;
  wm_records* records = nullptr;
  bool good = wm_trainer_open(text_or_null(place_.socket), place_.task, 0, &link) == 0;
  link_.reset(link);
  good = good && wm_records_open(text_or_null(place_.log_dir), &records) == 0;
  records_.reset(records);
  if (!good) error = wm_trainer_error();
  return good;
}

End Trainer::Run::train(const std::atomic<bool>& stopping) {
  if (!open()) return End::Failed;
  auto backend = place_.socket.empty() || world ? nullptr : backend_;
  membership_ = std::make_unique<Membership>(link_.get(), place_.task, backend, world);
  auto end = loop(stopping);
  group_ = nullptr;
  join(writer_);
  membership_ = nullptr;
  records_ = nullptr;
  link_ = nullptr;
  return end;
}

End Trainer::Run::loop(const std::atomic<bool>& stopping) {
  while (progress.phase != Progress::Phase::End) {
    if (membership_->left()) return End::Left;
    if (stopping && !group_) return End::Stopped;
    if (membership_->stands(kLook)) continue;
    auto go = group_ ? round(stopping) : await();
    if (go == Go::Left) return End::Left;
    if (go == Go::Stopped) return End::Stopped;
    if (go == Go::Failed) return End::Failed;
    if (go == Go::Broken) close_broken();
  }
  wm_trainer_done(link_.get(), progress.step);
  bool first = group_ && group_->plan.rank == 0;
  if (group_) membership_->retire(std::move(group_));  // else it broke after the last step
  return first ? End::First : End::Other;
}

Go Trainer::Run::await() {
  auto heard = membership_->next(kLook);
  if (heard.broken) wm_trainer_faulted(link_.get(), heard.broken, progress.step, "told broken");
  return heard.group ? enter(std::move(heard.group)) : Go::On;
}

// ---- groups ----------------------------------------------------------------------------

// First collective of every group: who stands where; then state to those behind. W-6
Go Trainer::Run::enter(std::shared_ptr<Group> group) {
  join(delivery_);
  group_ = std::move(group);
  const auto& plan = group_->plan;
  std::vector<double> standing(static_cast<std::size_t>(plan.world), 0.0);
  bool old = has_state_ && plan.rank < std::max(static_cast<int>(plan.survivors), 1);
  if (old)
    standing[static_cast<std::size_t>(plan.rank)] = 1.0 + static_cast<double>(progress.round);
  wm_trainer_in_collective(link_.get(), 1);
  bool good = group_->sum(standing);
  auto go = good ? match_states(standing) : Go::Broken;
  wm_trainer_in_collective(link_.get(), 0);
  if (go != Go::On) return go;
  group_->joined = true;
  switched_ = true;
  switched_step_ = progress.step;
  step_s_ = exchange_s_ = 0;  // those of another size say nothing of this one
  wm_trainer_switched(link_.get(), plan.epoch, progress.step, -1);
  return Go::On;
}

// `standing`: of each rank 0 = no state, else 1 + rounds committed.
Go Trainer::Run::match_states(const std::vector<double>& standing) {
  int source = 0;
  for (int rank = 1; rank < group_->plan.world; ++rank)
    if (standing[static_cast<std::size_t>(rank)] > standing[static_cast<std::size_t>(source)])
      source = rank;
  double best = standing[static_cast<std::size_t>(source)];
  std::vector<int> behind;
  for (int rank = 0; rank < group_->plan.world; ++rank)
    if (rank != source && (standing[static_cast<std::size_t>(rank)] < best || best == 0))
      behind.push_back(rank);
  if (group_->plan.rank == source) return hand_out(behind, best > 0);
  bool lacks = std::find(behind.begin(), behind.end(), group_->plan.rank) != behind.end();
  return lacks ? receive(source) : Go::On;
}

Go Trainer::Run::hand_out(const std::vector<int>& behind, bool anybody) {
  if (!anybody) {  // the newest checkpoint, or the model as the program made it
    auto saved = begin_with(place_.result_dir, place_.job, place_.resume_from, error);
    if (!error.empty()) return Go::Failed;
    if (saved && take_over(pack(*saved)) != Go::On) return Go::Failed;
    if (saved)
      std::printf("resumed from checkpoint at step %llu\n",
                  static_cast<unsigned long long>(progress.step));
    has_state_ = true;
  }
  if (behind.empty()) return Go::On;
  auto bytes = pack({progress, model_.state(), ""});
  if (!group_->overlaps()) return deliver(*group_, behind, bytes) ? Go::On : Go::Broken;
  // A copy, sent while training goes on: nobody applies a step before all have it anyway.
  delivery_ = std::thread([group = group_, behind, bytes = std::move(bytes)] {
    if (!deliver(*group, behind, bytes)) group->abort();
  });
  return Go::On;
}

bool Trainer::Run::deliver(Group& group, const std::vector<int>& behind, const std::string& bytes) {
  std::uint64_t size = bytes.size();
  std::span<const char> head(reinterpret_cast<const char*>(&size), sizeof size);
  for (int rank : behind)
    if (!group.send(head, rank) || !group.send(bytes, rank)) return false;
  return true;
}

Go Trainer::Run::receive(int source) {
  std::uint64_t size = 0;
  if (!group_->receive({reinterpret_cast<char*>(&size), sizeof size}, source)) return Go::Broken;
  std::string bytes(size, '\0');
  if (!group_->receive(bytes, source)) return Go::Broken;
  return take_over(bytes);
}

Go Trainer::Run::take_over(const std::string& bytes) {
  auto parcel = unpack(bytes);
  if (parcel && model_.take_over(parcel->state)) {
    progress = parcel->progress;
    has_state_ = true;
    return Go::On;
  }
  error = "the state that was handed over is of another format or program";
  return Go::Failed;
}

// All members agreed on `offered_` in the round just committed. W-5
Go Trainer::Run::change_group() {
  auto pending = membership_->take(offered_);
  if (!pending) return Go::Broken;  // told broken meanwhile
  auto old = std::move(group_);
  if (!pending->group) {
    old->leave();
    wm_trainer_left(link_.get(), old->plan.epoch);
    return Go::Left;
  }
  auto go = enter(std::move(pending->group));
  membership_->retire(std::move(old));
  return go;
}

// W-8: the groups are closed first, so that peers wake up, then the fault is said.
void Trainer::Run::close_broken() {
  auto group = std::exchange(group_, nullptr);
  if (group) group->abort();
  membership_->forget_current();
  join(delivery_);
  if (!group) return;
  if (group->joined || !membership_->was_withdrawn(group->plan.epoch))
    wm_trainer_faulted(link_.get(), group->plan.epoch, progress.step, "a collective failed");
}

// ---- rounds ------------------------------------------------------------------------------

Go Trainer::Run::round(bool stop_wanted) {
  if (group_->dead()) return Go::Broken;
  offered_ = membership_->ready_epoch();
  stop_offered_ = stop_wanted || membership_->checkpoint_wanted();
  auto go = progress.phase == Progress::Phase::Train  ? train_round()
            : progress.phase == Progress::Phase::Test ? test_round()
                                                      : finish_round();
  if (go != Go::On) return go;
  const double* tail = numbers_.data() + numbers_.size() - kTail;
  bool switching = all_agree(std::span<const double, 3>(tail + kAgree, 3), group_->plan.world);
  return after_round(switching, tail[kCheckpoint] > 0.5, stop_wanted);
}

Go Trainer::Run::after_round(bool switching, bool wanted, bool stop_wanted) {
  if (wanted) {
    membership_->checkpoint_taken();
    stop_wanted = stop_wanted || world;  // nobody else can ask for one there
    checkpoint(stop_wanted);
    if (stop_wanted) return Go::Stopped;
  }
  if (switching && progress.phase != Progress::Phase::End) return change_group();
  membership_->drop_withdrawn();
  return Go::On;
}

Trainer::Run::Share Trainer::Run::share() const {
  auto batch = progress.next_batch(course_, static_cast<std::uint64_t>(group_->plan.world));
  Share own{.begin = batch.begin, .end = batch.end};
  wm_part(batch.end - batch.begin, static_cast<std::uint64_t>(group_->plan.world),
          static_cast<std::uint64_t>(group_->plan.rank), &own.offset, &own.size);
  return own;
}

Go Trainer::Run::train_round() {
  auto began = now_ns();
  auto own = share();
  auto data_epoch = progress.data_epoch;
  numbers_.assign(model_.parameters() + kTail, 0.0);
  auto score = own_gradient(own);
  auto computed = now_ns();
  if (!sum(numbers_, model_.parameters(), score)) return Go::Broken;
  exchanged_ns_ = now_ns() - computed;
  auto all = summed(numbers_, model_.parameters());
  std::span<double> gradient(numbers_.data(), model_.parameters());
  for (auto& value : gradient) value /= all.samples;
  model_.step(gradient);
  bool passed = progress.commit_train(course_, own.end, all);
  record(own, data_epoch, began);
  if (!error.empty()) return Go::Failed;
  if (passed) checkpoint_if_due(data_epoch);
  return Go::On;
}

// The share is worked on in bites of at most batch_size samples (DESIGN 5.2).
Score Trainer::Run::own_gradient(const Share& own) {
  Score score;
  std::span<double> gradient(numbers_.data(), model_.parameters());
  std::vector<std::uint64_t> seeds;
  auto numbers = samples(own, seeds);
  auto bites = (own.size + course_.batch_size - 1) / course_.batch_size;
  for (std::uint64_t bite = 0; bite < bites; ++bite) {
    std::uint64_t first = 0, count = 0;
    wm_part(own.size, bites, bite, &first, &count);
    auto more = model_.gradient(std::span(numbers).subspan(first, count),
                                std::span(seeds).subspan(first, count), gradient);
    score.loss += more.loss;
    score.right += more.right;
  }
  score.samples = static_cast<double>(own.size);
  return score;
}

std::vector<std::uint64_t> Trainer::Run::samples(const Share& own,
                                                 std::vector<std::uint64_t>& seeds) const {
  std::vector<std::uint64_t> numbers(own.size);
  seeds.resize(own.size);
  wm_ledger ledger{course_.train_samples, course_.seed, 1};
  if (own.size)
    wm_ledger_samples(&ledger, progress.data_epoch, own.begin + own.offset, own.size,
                      numbers.data(), seeds.data());
  return numbers;
}

Go Trainer::Run::test_round() {
  auto own = share();
  std::vector<std::uint64_t> numbers(own.size);
  for (std::uint64_t i = 0; i < own.size; ++i) numbers[i] = own.begin + own.offset + i;
  Score score = own.size ? model_.test(numbers) : Score{};
  score.samples = static_cast<double>(own.size);
  numbers_.assign(kTail, 0.0);
  if (!sum(numbers_, 0, score)) return Go::Broken;
  auto data_epoch = progress.data_epoch;
  bool passed = progress.commit_test(course_, own.end, summed(numbers_, 0));
  if (passed) report();
  if (passed) checkpoint_if_due(data_epoch);
  return Go::On;
}

Go Trainer::Run::finish_round() {
  if (group_->plan.rank == 0) model_.finish();
  numbers_.assign(kTail, 0.0);
  if (!sum(numbers_, 0, {})) return Go::Broken;
  progress.commit_finish();
  return Go::On;
}

// One collective: the numbers given, and behind them what every round carries.
bool Trainer::Run::sum(std::vector<double>& numbers, std::size_t tail_at, const Score& own) {
  auto* tail = numbers.data() + tail_at;
  auto agree = flags(offered_);
  std::copy(agree.begin(), agree.end(), tail + kAgree);
  tail[kCheckpoint] = stop_offered_ ? 1.0 : 0.0;
  tail[kScore] = own.loss;
  tail[kScore + 1] = own.right;
  tail[kScore + 2] = own.samples;
  wm_trainer_in_collective(link_.get(), 1);
  bool good = group_->sum(numbers);
  wm_trainer_in_collective(link_.get(), 0);
  return good;
}

Score Trainer::Run::summed(const std::vector<double>& numbers, std::size_t tail_at) const {
  const auto* score = numbers.data() + tail_at + kScore;
  return {score[0], score[1], score[2]};
}

// ---- records, reports, checkpoints -----------------------------------------------------------

void Trainer::Run::record(const Share& own, std::uint64_t data_epoch, std::int64_t began) {
  const auto& plan = group_->plan;
  wm_step step{.step = progress.step,
               .epoch = plan.epoch,
               .world = static_cast<std::uint32_t>(plan.world),
               .samples = own.end - own.begin,
               .t_begin_ns = began,
               .t_end_ns = now_ns(),
               .data_epoch = static_cast<std::uint32_t>(data_epoch),
               .begin = own.begin,
               .end = own.end,
               .offset = own.offset,
               .size = own.size};
  std::int64_t pause = -1;
  if (wm_records_step(records_.get(), &step, &pause) != 0) error = wm_trainer_error();
  if (switched_ && pause >= 0) wm_trainer_switched(link_.get(), plan.epoch, switched_step_, pause);
  switched_ = false;
  take_times(step);
  if (step.t_end_ns - reported_ns_ >= kReport) {
    reported_ns_ = step.t_end_ns;
    report();
  }
  if (after_step_) after_step_(step);
}

// The last step of a pass may be a short one: it says nothing of the others.
void Trainer::Run::take_times(const wm_step& step) {
  bool whole = step.end < course_.train_samples || step.begin == 0;
  if (!whole && step_s_ > 0) return;
  auto smooth = [](double& value, double now) {
    value = value > 0 ? 0.9 * value + 0.1 * now : now;
  };
  smooth(step_s_, static_cast<double>(step.t_end_ns - step.t_begin_ns) / 1e9);
  smooth(exchange_s_, static_cast<double>(exchanged_ns_) / 1e9);
  rate_ = step_s_ > 0 ? static_cast<double>(step.samples) / step_s_ : 0;
  wm_trainer_exchange(link_.get(), step.world > 1 ? exchange_s_ : 0);
}

void Trainer::Run::report() {
  auto mean = [](double sum, const Score& score, double none) {
    return score.samples > 0 ? sum / score.samples : none;
  };
  wm_progress values{.epoch = group_->plan.epoch,
                     .data_epoch = static_cast<std::uint32_t>(progress.data_epoch),
                     .step = progress.step,
                     .samples = progress.samples,
                     .loss = mean(progress.trained.loss, progress.trained, 0),
                     .accuracy = mean(progress.tested.right, progress.tested, -1),
                     .step_time_s = step_s_,
                     .samples_per_s = rate_,
                     .noise = -1};
  wm_trainer_progress(link_.get(), &values);
}

void Trainer::Run::checkpoint_if_due(std::uint64_t data_epoch) {
  if (course_.checkpoint_freq && (data_epoch + 1) % course_.checkpoint_freq == 0) checkpoint(false);
}

// Rank 0's alone; in the background unless this worker ends now.
void Trainer::Run::checkpoint(bool wait) {
  if (group_->plan.rank != 0 || place_.result_dir.empty()) return;
  join(writer_);
  writer_ =
      std::thread([dir = place_.result_dir, parcel = Parcel{progress, model_.state(), place_.job}] {
        std::string why;
        if (!save(dir, parcel, why)) std::fprintf(stderr, "checkpoint: %s\n", why.c_str());
      });
  if (wait) join(writer_);
}

// ---- what users see ----------------------------------------------------------------------------

Trainer::Trainer(Course course, Model& model, std::shared_ptr<Backend> backend, Place place,
                 std::function<void(const wm_step&)> after_step)
    : run_(std::make_unique<Run>(course, model, std::move(backend), std::move(place),
                                 std::move(after_step))) {}

Trainer::~Trainer() = default;

void Trainer::use_world(std::shared_ptr<Group> world) { run_->world = std::move(world); }

End Trainer::train() { return run_->train(stopping_); }
const Progress& Trainer::progress() const { return run_->progress; }
const std::string& Trainer::error() const { return run_->error; }

}  // namespace wm::groups
