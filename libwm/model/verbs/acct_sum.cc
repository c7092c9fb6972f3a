#include "libwm/model/verbs/acct_sum.h"

#include <algorithm>

namespace wm {
namespace {

// More than that is no factor anybody reads, and a sum of many stays a number.
constexpr double kMostThousandths = 1e12, kMostMillionths = 1e12;

std::int64_t us(Duration d) { return d.count(); }

void add(AcctSpread& spread, std::int64_t value, bool first) {
  spread.sum += value;
  spread.most = first ? value : std::max(spread.most, value);
  spread.least = first ? value : std::min(spread.least, value);
}

void merge(AcctSpread& spread, const AcctSpread& more, bool first) {
  spread.sum += more.sum;
  spread.most = first ? more.most : std::max(spread.most, more.most);
  spread.least = first ? more.least : std::min(spread.least, more.least);
}

std::int64_t ratio(std::int64_t of, std::int64_t by, double unit, double most) {
  return static_cast<std::int64_t>(
      std::min(most, static_cast<double>(of) * unit / static_cast<double>(by)));
}

std::size_t promise_bin(Duration error) {
  std::size_t bin = 0;
  while (bin < kPromiseBounds.size() && error > std::chrono::seconds(kPromiseBounds[bin])) ++bin;
  return bin;
}

}  // namespace

void add(AcctSum& sum, const AcctFigures& job) {
  const Duration none{};
  auto around = us(std::max(none, job.ended - job.submitted));
  auto begun = job.dispatched == WallTime{} ? job.ended : job.dispatched;
  auto wait = us(std::max(none, begun - job.submitted));
  auto run = job.started == WallTime{} ? 0 : us(std::max(none, job.ended - job.started));
  auto hog = around > 0 ? ratio(us(job.cpu), around, 1e6, kMostMillionths) : 0;
  bool first = sum.jobs++ == 0;
  add(sum.cpu, us(job.cpu), first), add(sum.wait, wait, first), add(sum.around, around, first);
  add(sum.run, run, first), add(sum.hog, hog, first);
  if (run > 0) add(sum.expansion, ratio(around, run, 1e3, kMostThousandths), sum.ran++ == 0);
  if (job.done) ++sum.done;
  sum.slot_time += us(job.slot_time), sum.gpu_time += us(job.gpu_time);
  sum.gpu_energy_mj += job.gpu_energy_mj;
  auto end = us(job.ended.time_since_epoch());
  sum.first_end = first ? end : std::min(sum.first_end, end);
  sum.last_end = std::max(sum.last_end, end);
  if (job.promise_error) ++sum.promises[promise_bin(*job.promise_error)];
}

void merge(AcctSum& sum, const AcctSum& more) {
  if (more.jobs == 0) return;
  bool first = sum.jobs == 0;
  merge(sum.cpu, more.cpu, first), merge(sum.wait, more.wait, first);
  merge(sum.around, more.around, first), merge(sum.run, more.run, first);
  merge(sum.hog, more.hog, first);
  if (more.ran > 0) merge(sum.expansion, more.expansion, sum.ran == 0);
  sum.jobs += more.jobs, sum.done += more.done, sum.ran += more.ran;
  sum.slot_time += more.slot_time, sum.gpu_time += more.gpu_time;
  sum.gpu_energy_mj += more.gpu_energy_mj;
  sum.first_end = first ? more.first_end : std::min(sum.first_end, more.first_end);
  sum.last_end = std::max(sum.last_end, more.last_end);
  for (std::size_t i = 0; i < kPromiseBins; ++i) sum.promises[i] += more.promises[i];
}

}  // namespace wm
