// Role: the options of #SBATCH lines that have a meaning here, one table: long and short form, and
// what each adds to a job. What is not in it is refused by name, lest a job run otherwise than its
// script says. bsub(1) has the same table for people.
// @source Slurm: sbatch(1)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::cmd {

/// What the lines of a script ask for, before it is put together as words of bsub.
struct SbatchJob {
  std::uint32_t nodes = 0, tasks = 0, cpus = 1, per_node = 0;  ///< 0: not said
  std::uint32_t gpus = 0, gpus_per_node = 0, gpus_per_task = 0;
  std::string gpu_model;
  std::int64_t mem_mb = 0, mem_per_cpu_mb = 0, mem_per_gpu_mb = 0;
  std::string name, array, out, err;
  bool append = false;               ///< --open-mode=append
  std::string mail_types;            ///< words of -notify
  std::vector<std::string> select;   ///< terms of select[], all of which hold
  std::vector<std::string> words;    ///< of bsub, of what is said by one option alone
  std::vector<std::string> ignored;  ///< options that change nothing here
  std::optional<std::string> wrap;   ///< a command instead of the script
};

/// One option. `take` reads a value, "" where none is given.
struct SbatchOption {
  enum class Value : std::uint8_t { None, Needed, Optional };  ///< Optional: only behind '='
  std::string_view name;                                       ///< without dashes: "cpus-per-task"
  char letter = 0;                                             ///< of the short form; 0: none
  Value value = Value::Needed;
  Result<void> (*take)(SbatchJob& job, std::string_view value) = nullptr;
};

/// All of them. @cost O(1)
std::span<const SbatchOption> sbatch_options();

}  // namespace wm::cmd
