#include "libwm/trainer/groups/progress.h"

#include <algorithm>
#include <cmath>

namespace wm::groups {
namespace {

constexpr std::uint32_t kEpochs = 64;  // W-5: t = 1 + epoch mod 64

void add(Score& to, const Score& more) {
  to.loss += more.loss;
  to.right += more.right;
  to.samples += more.samples;
}

double real(std::uint64_t n) { return static_cast<double>(n); }
std::uint64_t whole(double x) { return static_cast<std::uint64_t>(x); }

}  // namespace

Progress::Batch Progress::next_batch(const Course& course, std::uint64_t world) const {
  bool test = phase == Phase::Test;
  auto each = course.batch_size * world;
  auto size = test || !course.effective_batch_size ? each : course.effective_batch_size;
  auto begin = test ? test_cursor : cursor;
  return {begin, std::min(test ? course.test_samples : course.train_samples, begin + size)};
}

bool Progress::commit_train(const Course& course, std::uint64_t end, const Score& sums) {
  if (cursor == 0) trained = {};
  ++round;
  ++step;
  samples += end - cursor;
  cursor = end;
  add(trained, sums);
  if (cursor < course.train_samples) return false;
  if (!course.test_samples) {
    next_pass(course);
    return true;
  }
  phase = Phase::Test;
  test_cursor = 0;
  tested = {};
  return false;
}

bool Progress::commit_test(const Course& course, std::uint64_t end, const Score& sums) {
  ++round;
  test_cursor = end;
  add(tested, sums);
  if (end < course.test_samples) return false;
  next_pass(course);
  return true;
}

void Progress::next_pass(const Course& course) {
  ++data_epoch;
  cursor = 0;
  phase = data_epoch >= course.epochs ? Phase::Finish : Phase::Train;
}

void Progress::commit_finish() {
  ++round;
  phase = Phase::End;
}

std::array<double, Progress::kNumbers> Progress::pack() const {
  return {real(round),      real(step),      real(samples),     static_cast<double>(phase),
          real(data_epoch), real(cursor),    real(test_cursor), trained.loss,
          trained.right,    trained.samples, tested.loss,       tested.right,
          tested.samples};
}

Progress Progress::unpack(std::span<const double, kNumbers> n) {
  Progress made;
  made.round = whole(n[0]);
  made.step = whole(n[1]);
  made.samples = whole(n[2]);
  made.phase = static_cast<Phase>(whole(n[3]));
  made.data_epoch = whole(n[4]);
  made.cursor = whole(n[5]);
  made.test_cursor = whole(n[6]);
  made.trained = {n[7], n[8], n[9]};
  made.tested = {n[10], n[11], n[12]};
  return made;
}

std::array<double, 3> flags(std::uint32_t ready_epoch) {
  if (!ready_epoch) return {0, 0, 0};
  double t = 1 + ready_epoch % kEpochs;
  return {1, t, t * t};
}

bool all_agree(std::span<const double, 3> sums, int world) {
  auto c = std::lround(sums[0]), t = std::lround(sums[1]), square = std::lround(sums[2]);
  return c == world && world * square == t * t;
}

}  // namespace wm::groups
