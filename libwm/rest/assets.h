// Role: what projects hold: model definitions, and experiments that run them. Each is a folder with
// a manifest, a JSON object; this reads manifests and makes of a definition the words of an
// execution. Pure.
//
//   <results>/<user>/projects/<project>/project.json
//   …/definitions/<name>/{manifest.json,code}        …/experiments/<name>/manifest.json
//
// Used by wuserd.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::rest {

/// Where jobs of a project draw from.
struct Project {
  std::string name, description;
  std::string plan;  ///< resource plan; empty: the default one
  bool operator==(const Project&) const = default;
};

/// A model definition: code and how it runs.
struct Definition {
  std::string name, description;
  std::string framework, command;  ///< command: script and its arguments
  std::string device = "gpu", per_worker = "1", memory, nodes = "1";
  std::string code_name;  ///< what the uploaded file was called
  std::vector<std::string> env;
  bool operator==(const Definition&) const = default;
};

/// Definitions that are run together.
struct Experiment {
  std::string name, description;
  std::string data;     ///< folder below the cluster's data
  std::string command;  ///< of all definitions, in place of their own; empty: their own
  std::string plan;     ///< resource plan, in place of the project's; empty: that
  std::vector<std::string> definitions;
  std::vector<std::string> runs;  ///< ids of executions, the newest last
  bool operator==(const Experiment&) const = default;
};

/// From JSON that a client sent, or that was kept. Unknown keys are passed over.
/// @errors BadArgument: no object, a name that is none, a field of another type
Result<Project> parse_project(const std::string& text);
Result<Definition> parse_definition(const std::string& text);
Result<Experiment> parse_experiment(const std::string& text);

/// As they are kept and shown. @cost O(length)
std::string to_text(const Project& project);
std::string to_text(const Definition& definition);
std::string to_text(const Experiment& experiment);

/// May something be called so: letters, digits, '.', '_', '-', not more than 64, no dot first?
bool is_asset_name(std::string_view name);

/// The args of an execution of `definition` in `experiment`.
/// @errors BadArgument: a value with a blank where none may be
Result<std::string> args_of(const Project& project, const Experiment& experiment,
                            const Definition& definition);

}  // namespace wm::rest
