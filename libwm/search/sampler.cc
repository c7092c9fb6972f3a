#include "libwm/search/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wm::search {
namespace {

constexpr int kAttempts = 8;         // of the model, before chance is asked
constexpr int kRandomAttempts = 64;  // of chance, before the first free point is taken

class RandomSampler : public Sampler {
 public:
  explicit RandomSampler(const Space& space) : space_(space) {}
  Point next(Draws draws) override { return random_point(space_, draws); }
  void add(const Point&) override {}

 private:
  const Space& space_;
};

bool is_endless(const Space& space) {
  return std::ranges::any_of(space.params, [](const Param& p) { return p.count == 0; });
}

// A point that no trial has had.
Point fresh_point(const Search& search, const Seen& seen, Sampler& sampler, std::uint64_t number) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto point = sampler.next(Draws(search.seed, number, static_cast<std::uint64_t>(attempt)));
    if (!seen.has(point)) return point;
  }
  Draws draws(search.seed, number, kAttempts);
  auto point = random_point(search.space, draws);
  for (int i = 0; i < kRandomAttempts && seen.has(point); ++i)
    point = random_point(search.space, draws);
  return point;
}

}  // namespace

Point random_point(const Space& space, Draws& draws) {
  Point point(space.params.size());
  for (std::size_t i = 0; i < point.size(); ++i) {
    double u = draws.uniform();
    bool words = space.params[i].kind == Kind::Words;
    point[i] = words ? u * static_cast<double>(space.params[i].count) : u;
  }
  settle(space, point);
  return point;
}

std::unique_ptr<Sampler> random_sampler(const Search& search) {
  return std::make_unique<RandomSampler>(search.space);
}

Seen::Seen(const Space& space, const History& history) : space_(space) {
  for (const auto& trial : history)
    if (trial.point) add(*trial.point);
}

Point Seen::key(Point point) {
  for (auto& at : point)
    if (std::isnan(at)) at = -1;
  return point;
}

std::optional<std::vector<Point>> Seen::left(std::uint64_t limit) const {
  if (is_endless(space_) || !count_up_to(space_, keys_.size() + limit)) return {};
  std::vector<Point> points;
  Wheels wheels(space_.params.size());
  do {
    auto point = point_at(space_, wheels);
    if (!has(point)) points.push_back(std::move(point));
  } while (advance(space_, wheels));
  return points;
}

std::vector<Point> propose(const Search& search, const History& history, Sampler& sampler,
                           std::uint32_t wanted) {
  constexpr std::uint64_t kFew = 256;
  Seen seen(search.space, history);
  auto left = seen.left(std::max<std::uint64_t>(wanted, kFew));
  std::vector<Point> points;
  while (points.size() < wanted && !(left && left->empty())) {
    auto number = history.size() + points.size() + 1;
    auto point = fresh_point(search, seen, sampler, number);
    if (left && seen.has(point)) point = (*left)[Draws(search.seed, number).below(left->size())];
    if (left)
      std::erase_if(*left, [&](const Point& p) {
        return config_at(search.space, p) == config_at(search.space, point);
      });
    seen.add(point);
    sampler.add(point);
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace wm::search
