// Role: what proposes points: a model of the trials so far that is asked for
// the next one, and told of it, so that what is in flight is part of the model.
// Nothing is kept between two questions from outside: a sampler is made of the
// history, asked, and thrown away. Of this folder only.
#pragma once

#include <memory>
#include <set>

#include "libwm/search/draws.h"
#include "libwm/search/task.h"

namespace wm::search {

class Sampler {
 public:
  virtual ~Sampler() = default;
  /// The next point, settled. Other draws, another point.
  virtual Point next(Draws draws) = 0;
  /// `point` is in flight from now on.
  virtual void add(const Point& point) = 0;
};

/// Uniform over the space. @source Bergstra, Bengio, JMLR 13, 2012
Point random_point(const Space& space, Draws& draws);
std::unique_ptr<Sampler> random_sampler(const Search& search);

/// @source TPE: Bergstra et al., NeurIPS 2011; Bergstra, Yamins, Cox, ICML 2013
std::unique_ptr<Sampler> tpe_sampler(const Search& search, const History& history);

/// @source see bayesian.cc and process.h
std::unique_ptr<Sampler> bayesian_sampler(const Search& search, const History& history);

/// The points that trials have had; of a space of few points, those that none
/// has had.
class Seen {
 public:
  Seen(const Space& space, const History& history);

  bool has(const Point& point) const { return keys_.contains(key(point)); }
  void add(const Point& point) { keys_.insert(key(point)); }
  std::size_t size() const { return keys_.size(); }
  /// All that are left, when the space has not more than `limit` points beyond
  /// those seen; nothing when there are more. @cost O(seen + limit)
  std::optional<std::vector<Point>> left(std::uint64_t limit) const;

 private:
  // Coordinates that are not active are alike.
  static Point key(Point point);

  const Space& space_;
  std::set<Point> keys_;
};

/// Up to `wanted` further points, none twice in a space of finitely many;
/// fewer: those are all.
std::vector<Point> propose(const Search& search, const History& history, Sampler& sampler,
                           std::uint32_t wanted);

}  // namespace wm::search
