#include "libwm/replay/step_table.h"

#include <algorithm>
#include <numeric>

#include "libwm/replay/lines.h"

namespace wm::replay {
namespace {

constexpr double kMaxBatch = 1e9, kMaxSeconds = 1e7;

StepTime mix(const StepTime& a, const StepTime& b, double part) {
  return {a.step + (b.step - a.step) * part, a.sync + (b.sync - a.sync) * part};
}

// Linear between neighbours. Below the first point its value holds; beyond the last one the
// last slope goes on, for a larger batch never takes less time.
StepTime on_curve(const std::map<double, StepTime>& curve, double at) {
  auto above = curve.lower_bound(at);
  if (above == curve.begin()) return above->second;
  if (above == curve.end()) {
    auto last = std::prev(above);
    if (last == curve.begin()) return last->second;
    above = last;
  }
  auto below = std::prev(above);
  double part = (at - below->first) / (above->first - below->first);
  StepTime found = mix(below->second, above->second, part);
  return part <= 1 ? found : StepTime{std::max(found.step, above->second.step), above->second.sync};
}

// Hosts in a ring: rotations are the same placement.
Shape smallest_rotation(const Shape& shape) {
  Shape best = shape, turned = shape;
  for (std::size_t i = 1; i < shape.size(); ++i) {
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    best = std::min(best, turned);
  }
  return best;
}

// "1224": tasks on each of four hosts.
Result<Shape> read_shape(const Line& line) {
  WM_TRY(auto word, line.word_at(0, "placement"));
  Shape shape;
  for (char c : word) {
    if (c < '1' || c > '9') return bad_line(line.number, "field 1 (placement): digits from 1 only");
    shape.push_back(static_cast<std::uint32_t>(c - '0'));
  }
  if (shape.size() > 16) return bad_line(line.number, "field 1 (placement): more than 16 hosts");
  return smallest_rotation(shape);
}

struct Point {
  double batch = 0;
  StepTime time;
};

Result<Point> point_of(const Line& line, std::size_t first) {
  Point point;
  WM_TRY(point.batch, line.number_at(first, "local_bsz", 1, kMaxBatch));
  WM_TRY(point.time.step, line.number_at(first + 1, "step_time", 1e-9, kMaxSeconds));
  WM_TRY(point.time.sync, line.number_at(first + 2, "sync_time", 0, kMaxSeconds));
  point.time.sync = std::min(point.time.sync, point.time.step);
  return point;
}

// The two keys around a value, the same one twice outside.
template <class Map>
auto around(const Map& map, double at) {
  auto above = map.lower_bound(at);
  if (above == map.end()) above = std::prev(above);
  auto below = above->first <= at || above == map.begin() ? above : std::prev(above);
  return std::pair{below, above};
}

double part_of(double at, double from, double to) {
  return to > from ? std::clamp((at - from) / (to - from), 0.0, 1.0) : 0.0;
}

}  // namespace

Result<StepTable> StepTable::parse(std::string_view placements, std::string_view scalability) {
  StepTable table;
  if (auto added = table.add_placements(placements); !added)
    return added.error().within("placements");
  if (auto added = table.add_scalability(scalability); !added) {
    return added.error().within("scalability");
  }
  return table;
}

Result<void> StepTable::add_placements(std::string_view text) {
  WM_TRY(auto lines, table_lines(text, "placement,local_bsz,step_time,sync_time"));
  if (lines.empty()) return bad_line(2, "no measurement");
  // Placements with as many hosts and tasks count as their mean.
  std::map<std::pair<double, double>, std::map<double, std::vector<StepTime>>> groups;
  for (const Line& line : lines) {
    WM_TRY(auto shape, read_shape(line));
    WM_TRY(auto point, point_of(line, 1));
    placements_[shape][point.batch] = point.time;
    groups[{shape.size(), tasks_of(shape)}][point.batch].push_back(point.time);
    least_ = least_ == 0 ? point.batch : std::min(least_, point.batch);
    most_ = std::max(most_, point.batch);
  }
  for (auto& [key, curve] : groups) {
    for (auto& [batch, times] : curve) {
      StepTime sum;
      for (const StepTime& time : times) sum.step += time.step, sum.sync += time.sync;
      auto count = static_cast<double>(times.size());
      by_hosts_[key.first][key.second][batch] = {sum.step / count, sum.sync / count};
    }
  }
  return {};
}

Result<void> StepTable::add_scalability(std::string_view text) {
  WM_TRY(auto lines, table_lines(text, "num_nodes,num_replicas,local_bsz,step_time,sync_time"));
  for (const Line& line : lines) {
    WM_TRY(double hosts, line.number_at(0, "num_nodes", 1, 1e6));
    WM_TRY(double tasks, line.number_at(1, "num_replicas", hosts, 1e7));
    WM_TRY(auto point, point_of(line, 2));
    by_hosts_[hosts][tasks][point.batch] = point.time;
  }
  return {};
}

StepTime StepTable::on_hosts(double hosts, double tasks_per_host, double local_batch) const {
  const auto& by_tasks = by_hosts_.at(hosts);
  double tasks = tasks_per_host * hosts;
  auto [below, above] = around(by_tasks, tasks);
  return mix(on_curve(below->second, local_batch), on_curve(above->second, local_batch),
             part_of(tasks, below->first, above->first));
}

StepTime StepTable::at(const Shape& shape, double local_batch) const {
  Shape key = smallest_rotation(shape);
  auto measured = placements_.find(key);
  if (measured != placements_.end()) return on_curve(measured->second, local_batch);
  auto hosts = static_cast<double>(shape.size());
  double per_host = tasks_of(shape) / hosts;
  auto [below, above] = around(by_hosts_, hosts);
  return mix(on_hosts(below->first, per_host, local_batch),
             on_hosts(above->first, per_host, local_batch),
             part_of(hosts, below->first, above->first));
}

}  // namespace wm::replay
