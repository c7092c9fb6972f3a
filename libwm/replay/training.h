// Role: a training of the Pollux and Sia lists: passes over a data set, each a number of
// steps at the initial batch B0; with a batch B a step counts for more, but not B/B0 times:
//
//   progress of a step = scale x efficiency,  efficiency = (phi + B0) / (phi + B),
//   scale = B / B0,  phi = B0 x grad_var / grad_sqr (the gradient noise scale)
//
// The noise was measured per pass at several batches. A task computes its part of a batch in
// one go or, where it is too large for it, by accumulating.
// @source Pollux: Qiao et al., OSDI 2021, equations 3-7; McCandlish et al., 2018
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libwm/replay/step_table.h"
#include "libwm/replay/trace.h"

namespace wm::replay {

/// Gradient noise of one pass at one batch.
struct Noise {
  double sqr = 0, var = 0;
};

/// Everything measured of one application.
struct Application {
  StepTable steps;
  std::map<double, std::vector<Noise>> noise;  ///< batch → pass
  std::vector<double> ends;                    ///< progress at the end of each pass
  double initial = 0, most = 0;                ///< batches

  /// Noise of a pass at a batch between measured ones. @cost O(log batches)
  Noise noise_at(double batch, std::size_t pass) const;
  /// Progress of one step at a batch. @cost O(log batches)
  double gain(double batch, std::size_t pass) const;
};

/// Reads the tables of one application: `files` by name ("placements.csv"), of GPU type
/// `type` ("" where there is one only). `passes`: how long it trains; 0 = as measured.
/// @errors NotFound: a table; BadArgument: file, line, field   @cost O(bytes)
Result<Application> parse_application(const std::map<std::string, std::string>& files,
                                      const std::string& type, std::uint32_t passes);

/// How a batch is divided among tasks.
struct Division {
  double local = 0;   ///< samples a task computes at once
  double rounds = 1;  ///< times it does so in a step
  double batch = 0;   ///< all samples of a step
};

/// The division of a batch among `tasks` tasks. @cost O(1)
Division divide(double batch, std::uint32_t tasks, const Application& app);

/// A training with this batch (its own choice where Batch::Auto is asked).
std::shared_ptr<const Work> training_work(std::shared_ptr<const Application> app, double batch);

}  // namespace wm::replay
