// Role: which launcher of a training a command line starts, by its words alone. Pure.
//   "A=1 uv run --with x torchrun --nproc_per_node 2 train.py" starts torchrun.
// @source manuals of torchrun, accelerate launch, deepspeed, uv run, poetry run, conda run, nsys
// profile
#pragma once

#include <string_view>
#include <vector>

namespace wm {

/// What starts the processes of a training, or nothing that we know.
enum class TrainingLauncher { None, Torchrun, Accelerate, DeepSpeed };

/// A launcher and the words behind its name, which are options and a script.
struct FoundLauncher {
  TrainingLauncher launcher = TrainingLauncher::None;
  std::vector<std::string_view> words;
  /// Is this word among the launcher's own options, before its script? @cost O(words)
  bool has_option(std::string_view option) const;
  /// The last value of one of its own options, with - or _ in its name: behind = or the next word.
  /// Empty: it has none. @cost O(words)
  std::string_view value_of(std::string_view option) const;
};

/// Looks behind assignments, `exec`, `env` and programs that only run another one (uv run, poetry
/// run, conda run, nsys profile, numactl, …). A word that stands anywhere else starts nothing. The
/// views are of `command`. @cost O(length), of the first 64 words at most
FoundLauncher training_launcher_of(std::string_view command);

}  // namespace wm
