#include "libwm/serve/meter.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"

namespace wm::serve {
namespace {

constexpr double kLeast = 10;  // us, of the first bucket
constexpr double kWider = 1.2;
constexpr std::array<double, 3> kShares{0.5, 0.95, 0.99};

double ms(Duration d) { return static_cast<double>(d.count()) / 1000; }

}  // namespace

void Histogram::add(Duration time) {
  auto us = std::max(static_cast<double>(time.count()), kLeast);
  auto bucket = static_cast<std::size_t>(std::log(us / kLeast) / std::log(kWider));
  ++counts_[std::min(bucket, kBuckets - 1)];
  ++count_;
}

Duration Histogram::quantile(double q) const {
  if (count_ == 0) return {};
  auto wanted = static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count_)));
  std::size_t at = 0;
  for (std::uint64_t seen = counts_[0]; seen < wanted && at + 1 < kBuckets;) seen += counts_[++at];
  auto middle = kLeast * std::pow(kWider, static_cast<double>(at) + 0.5);
  return Duration(static_cast<std::int64_t>(middle));
}

void Meter::answered(TimePoint arrived, TimePoint handed, TimePoint now, int status) {
  ++open_.answered;
  if (status != 200) ++open_.failed;
  auto add = [&](Stage stage, Duration time) {
    now_[static_cast<std::size_t>(stage)].add(time);
    all_[static_cast<std::size_t>(stage)].add(time);
  };
  add(Stage::Total, now - arrived);
  if (handed == TimePoint{}) return add(Stage::Queue, now - arrived);
  add(Stage::Queue, handed - arrived);
  add(Stage::Kernel, now - handed);
}

void Meter::close(const Load& load, std::uint32_t wanted, TimePoint now, WallTime wall) {
  open_.at = wall;
  open_.seconds = begun_ == TimePoint{} ? 0 : std::chrono::duration<double>(now - begun_).count();
  open_.arrived = static_cast<std::uint32_t>(load.arrived - arrived_);
  open_.kernels = load.kernels;
  open_.wanted = wanted;
  open_.queued = static_cast<std::uint32_t>(load.queued);
  open_.oldest = load.oldest;
  for (std::size_t stage = 0; stage < kStages; ++stage)
    for (std::size_t i = 0; i < kShares.size(); ++i)
      open_.latency[stage][i] = now_[stage].quantile(kShares[i]);
  if (open_.seconds > 0) samples_.push_back(open_);
  if (samples_.size() > kMost) samples_.pop_front();
  open_ = {};
  now_ = {};
  begun_ = now;
  arrived_ = load.arrived;
}

std::string series_json(const Meter& meter, WallTime since) {
  Json list = Json::array();
  for (const auto& sample : meter.samples()) {
    if (sample.at < since) continue;
    Json one{{"t", epoch_seconds(sample.at)}, {"rate", sample.arrived / sample.seconds},
             {"answered", sample.answered},   {"failed", sample.failed},
             {"kernels", sample.kernels},     {"wanted", sample.wanted},
             {"queued", sample.queued},       {"oldest_ms", ms(sample.oldest)}};
    constexpr std::array<const char*, kStages> kNames{"queue_ms", "kernel_ms", "total_ms"};
    for (std::size_t stage = 0; stage < kStages; ++stage) {
      const auto& l = sample.latency[stage];
      if (l[0] > Duration::zero()) one[kNames[stage]] = {ms(l[0]), ms(l[1]), ms(l[2])};
    }
    list.push_back(std::move(one));
  }
  return to_text({{"samples", std::move(list)}});
}

}  // namespace wm::serve
