// Role: what the example programs share: options, the model and its records, and the check of the
// result against one process. A program gives the communicator and the model.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libwm/trainer/groups/train.h"
#include "test/examples/digits.h"

namespace example {

/// A Model of digits that shows its weights. @thread one at a time
class DigitsModel : public wm::groups::Model {
 public:
  virtual const std::vector<double>& weights() const = 0;
  /// FNV-1a of the weights' bytes: equal on all members after every step.
  std::uint64_t hash() const;
};

/// Nodes of the hidden layer of the programs' models.
inline constexpr std::size_t kHidden = 24;

/// One example program.
struct Program {
  const char* name = "";
  /// The communicator, made under WM only. @errors null, with the reason
  std::function<std::shared_ptr<wm::groups::Backend>(std::string& why)> backend;
  std::function<std::unique_ptr<DigitsModel>(const Digits& train, const Digits& test)> model;
  /// Instead of a backend: a group that is used from start to end. Called once.
  std::function<std::shared_ptr<wm::groups::Group>()> world = {};
  /// Called when this process has no more to say to the others.
  std::function<void()> end = [] {};
};

/// main() of a program: trains, and on the final rank 0 compares with one process (1e-9 relative,
/// DESIGN 5.2). The exit status: 0, 1 trouble or a difference, 2 wrong usage.
int run_program(const Program& program, int argc, char** argv);

}  // namespace example
