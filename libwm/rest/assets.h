// Role: what projects hold: data, model definitions, experiments that run them, models that were
// saved; and spaces, where models are put to use. Each is a folder with a manifest, a JSON object;
// this reads manifests and makes of a definition the words of an execution. Pure.
//
//   <results>/<user>/projects/<project>/project.json
//   …/definitions/<name>/<version>/{manifest.json,code}   …/experiments/<name>/<version>/…
//   …/models/<name>/<version>/{manifest.json,package/}
//   …/data/<name>/vN/{manifest.json,files/}
//   <results>/<user>/spaces/<space>/space.json       …/models/<name>/ as in a project
//
// Used by wuserd.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/rest/space_roles.h"

namespace wm::rest {

/// A version of what is kept. wuserd says all of this; what a client says of it is not taken.
struct Edition {
  std::string version;    ///< its name; empty: not kept yet
  std::string hash;       ///< of its code or package; empty: it has none
  std::string made_by;    ///< account
  std::int64_t made = 0;  ///< @units s
  bool operator==(const Edition&) const = default;
};

/// Where jobs of a project draw from.
struct Project {
  std::string name, description;
  std::string plan;                  ///< resource plan; empty: the default one
  std::vector<Member> members = {};  ///< whom its owner shares it with
  /// Of the owner's connections those that editors may fetch with.
  std::vector<std::string> connections = {};
  bool operator==(const Project&) const = default;
};

/// A model definition: code and how it runs.
struct Definition {
  std::string name, description;
  std::string framework, command;  ///< command: script and its arguments
  std::string device = "gpu", per_worker = "1", memory, nodes = "1";
  std::string hardware;   ///< name of a hardware specification, in place of these; empty: these
  std::string gpu_kind;   ///< full, generic, slice; empty: full
  std::string mig;        ///< profile of a slice
  std::string code_name;  ///< what the uploaded file was called
  std::vector<std::string> env;
  Edition edition = {};
  bool operator==(const Definition&) const = default;
};

/// Data that executions name: what a connection leads to, or files that were uploaded. Versions of
/// one name follow each other; none is changed.
struct DataAsset {
  std::string name, description;
  std::string connection;   ///< name of a connection; empty: files were uploaded
  std::string path, query;  ///< what is meant there, one of them: "bucket/folder", "select …"
  std::string file;         ///< what a query's rows are called; empty: chosen when they are fetched
  std::string stored;       ///< of an upload: the folder that has the files
  std::int64_t version = 1;
  std::int64_t size = 0;   ///< of these. @units bytes
  std::int64_t files = 0;  ///< how many
  std::int64_t saved = 0;  ///< @units s
  bool operator==(const DataAsset&) const = default;
};

/// Definitions that are run together.
struct Experiment {
  std::string name, description;
  std::string data;     ///< folder below the cluster's data, or below the volume
  std::string volume;   ///< storage volume; empty: the cluster's data
  std::string command;  ///< of all definitions, in place of their own; empty: their own
  std::string plan;     ///< resource plan, in place of the project's; empty: that
  std::vector<std::string> definitions;
  std::vector<std::string> runs;  ///< ids of executions, the newest last
  /// Instead of data and volume: items of dataSource, each one JSON object.
  std::vector<std::string> sources;
  /// Of each definition the version that is run; an empty one, or none at all: the present one.
  std::vector<std::string> definition_versions = {};
  Edition edition = {};
  bool operator==(const Experiment&) const = default;
};

/// A model of a run, saved with where it comes from. Its package is what a service is made of.
struct SavedModel {
  std::string name, description;
  std::string run;              ///< id of the execution or job
  std::string framework, user;  ///< of that
  std::string code_hash;        ///< of its code
  std::string data;             ///< folder that it read, as it was asked for
  std::string weight;           ///< file in the package
  std::string project;          ///< that it was saved in; kept when it is promoted
  std::string promoted_by;      ///< in a space: who put it there
  std::int64_t saved = 0;       ///< @units s
  std::vector<std::pair<std::string, double>> metrics;  ///< the last of each, by name
  Edition edition = {};
  bool operator==(const SavedModel&) const = default;
};

/// Where models are deployed from.
struct Space {
  std::string name, description;
  std::string plan;             ///< resource plan of what is deployed; empty: the default one
  std::vector<Member> members;  ///< whom its owner shares it with
  bool operator==(const Space&) const = default;
};

/// From JSON that a client sent, or that was kept. Unknown keys are passed over.
/// @errors BadArgument: no object, a name that is none, a field of another type
Result<Project> parse_project(const std::string& text);
Result<Definition> parse_definition(const std::string& text);
Result<Experiment> parse_experiment(const std::string& text);
Result<SavedModel> parse_model(const std::string& text);
/// @errors as the others; a connection with neither path nor query, or with the wrong one of both
/// for an upload
Result<DataAsset> parse_data_asset(const std::string& text);
/// {"members": [{"name", "role"}]}. @errors as the others; check_members
Result<std::vector<Member>> parse_members(const std::string& text);
Result<Space> parse_space(const std::string& text);

/// As they are kept and shown. @cost O(length)
std::string to_text(const Project& project);
std::string to_text(const Definition& definition);
std::string to_text(const Experiment& experiment);
std::string to_text(const SavedModel& model);
std::string to_text(const DataAsset& asset);
std::string to_text(const Space& space);

/// May something be called so: letters, digits, '.', '_', '-', not more than 64, no dot first?
bool is_asset_name(std::string_view name);

/// The version of its definition number `i`; empty: the present one. @cost O(1)
std::string version_of(const Experiment& experiment, std::size_t i);

/// Labels of an execution that say what it was made of: the versions, and the hash of the code.
/// @cost O(1)
std::map<std::string, std::string> origin_labels(const Project& project,
                                                 const Experiment& experiment,
                                                 const Definition& definition);
/// The same of the labels that an execution has, in words: {"definition", "digits"}. @cost
/// O(labels)
std::map<std::string, std::string> origin_of(const std::map<std::string, std::string>& labels);
/// Is it one that only WM sets? @cost O(1)
bool is_own_label(std::string_view label);

/// What the form field `data` of its executions says of hardware, volumes and sources; empty:
/// nothing. Data assets without a project are those of the experiment's `project`. @cost O(sources)
std::string data_of(const Project& project, const Experiment& experiment,
                    const Definition& definition);

/// The args of an execution of `definition` in `experiment`.
/// @errors BadArgument: a value with a blank where none may be
Result<std::string> args_of(const Project& project, const Experiment& experiment,
                            const Definition& definition);

}  // namespace wm::rest
