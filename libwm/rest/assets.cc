#include "libwm/rest/assets.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "libwm/base/joined.h"
#include "libwm/base/json.h"
#include "libwm/rest/json_text.h"

namespace wm::rest {
namespace {

constexpr std::size_t kLongestAsset = 1 << 20;
constexpr std::size_t kLongestField = 4096;
constexpr std::string_view kOwnLabel = "wm-";
constexpr std::array<const char*, 6> kOriginWords{
    "project", "experiment", "experiment-version", "definition", "definition-version", "package"};

/// Reads the fields of one object; the first that does not read is the error.
class AssetReader {
 public:
  explicit AssetReader(const std::string& text) {
    if (text.size() <= kLongestAsset) json_ = json_or_null(text);
    if (!json_.is_object()) error_ = fail(Code::BadArgument, "a JSON object is wanted");
  }

  void name(std::string& value) {
    this->text("name", value);
    if (error_.code == Code::Ok && !is_asset_name(value))
      error_ = fail(Code::BadArgument, "name '" + value.substr(0, 64) +
                                           "': letters, digits, '.', '_' and '-' are wanted");
  }
  void text(const char* key, std::string& value) {
    const Json* found = find(key);
    if (!found) return;
    if (found->is_number_integer()) value = found->dump();
    else if (found->is_string() && found->get_ref<const std::string&>().size() <= kLongestField)
      value = found->get<std::string>();
    else
      error_ = fail(Code::BadArgument, std::string(key) + ": a text of at most " +
                                           std::to_string(kLongestField) + " bytes is wanted");
  }
  void list(const char* key, std::vector<std::string>& value) {
    const Json* found = find(key);
    if (!found) return;
    bool fine =
        found->is_array() && found->size() <= 1000 &&
        std::all_of(found->begin(), found->end(), [](const Json& v) { return v.is_string(); });
    if (fine) value = found->get<std::vector<std::string>>();
    else error_ = fail(Code::BadArgument, std::string(key) + ": a list of texts is wanted");
  }
  /// Objects, each as its text.
  void items(const char* key, std::vector<std::string>& values) {
    const Json* found = find(key);
    if (!found) return;
    bool fine = found->is_array() && found->size() <= 100 &&
                std::ranges::all_of(*found, [](const Json& v) { return v.is_object(); });
    if (!fine) error_ = fail(Code::BadArgument, std::string(key) + ": a list of objects is wanted");
    if (!fine) return;
    for (const auto& one : *found) values.push_back(wm::to_text(one));
  }
  void count(const char* key, std::int64_t& value) {
    const Json* found = find(key);
    if (found && found->is_number_integer()) value = found->get<std::int64_t>();
    else if (found) error_ = fail(Code::BadArgument, std::string(key) + ": a number is wanted");
  }
  void numbers(const char* key, std::vector<std::pair<std::string, double>>& values) {
    const Json* found = find(key);
    if (!found) return;
    if (!found->is_object()) error_ = fail(Code::BadArgument, std::string(key) + ": an object");
    for (const auto& [name, value] : found->items())
      if (value.is_number()) values.emplace_back(name, value.get<double>());
  }
  void members(const char* key, std::vector<Member>& values) {
    const Json* found = find(key);
    if (!found) return;
    bool fine = found->is_array() && std::ranges::all_of(*found, [](const Json& v) {
                  return v.is_object() && v.contains("name") && v["name"].is_string() &&
                         v.contains("role") && v["role"].is_string();
                });
    if (!fine)
      error_ = fail(Code::BadArgument, std::string(key) + R"(: [{"name", "role"}] is wanted)");
    if (!fine) return;
    for (const auto& one : *found)
      values.push_back({one["name"].get<std::string>(), one["role"].get<std::string>()});
    if (auto checked = check_members(values); !checked) error_ = checked.error();
  }
  const Error& error() const { return error_; }

 private:
  const Json* find(const char* key) const {
    if (error_.code != Code::Ok || !json_.contains(key) || json_[key].is_null()) return nullptr;
    return &json_[key];
  }

  Json json_;
  Error error_;
};

/// Writes them, in the same words.
class Writer {
 public:
  void name(const std::string& value) { json_["name"] = value; }
  void text(const char* key, const std::string& value) { json_[key] = value; }
  void list(const char* key, const std::vector<std::string>& value) { json_[key] = value; }
  void items(const char* key, const std::vector<std::string>& values) {
    auto& list = json_[key] = Json::array();
    for (const auto& text : values) list.push_back(json_or_null(text));
  }
  void count(const char* key, std::int64_t value) { json_[key] = value; }
  void numbers(const char* key, const std::vector<std::pair<std::string, double>>& values) {
    auto& object = json_[key] = Json::object();
    for (const auto& [name, value] : values) object[name] = value;
  }
  void members(const char* key, const std::vector<Member>& values) {
    auto& list = json_[key] = Json::array();
    for (const auto& [name, role] : values) list.push_back({{"name", name}, {"role", role}});
  }
  std::string text() const { return wm::to_text(json_); }

 private:
  Json json_ = Json::object();
};

// The shapes, each once for both ways.
template <class Fields>
void shape(Fields& f, Edition& e) {
  f.text("version", e.version);
  f.text("hash", e.hash);
  f.text("made_by", e.made_by);
  f.count("made", e.made);
}

template <class Fields>
void shape(Fields& f, Project& p) {
  f.name(p.name);
  f.text("description", p.description);
  f.text("plan", p.plan);
  f.members("members", p.members);
  f.list("connections", p.connections);
}

template <class Fields>
void shape(Fields& f, Definition& d) {
  f.name(d.name);
  f.text("description", d.description);
  f.text("framework", d.framework);
  f.text("command", d.command);
  f.text("device", d.device);
  f.text("per_worker", d.per_worker);
  f.text("memory", d.memory);
  f.text("nodes", d.nodes);
  f.text("hardware", d.hardware);
  f.text("gpu_kind", d.gpu_kind);
  f.text("mig", d.mig);
  f.text("code_name", d.code_name);
  f.list("env", d.env);
  shape(f, d.edition);
}

template <class Fields>
void shape(Fields& f, Experiment& e) {
  f.name(e.name);
  f.text("description", e.description);
  f.text("data", e.data);
  f.text("volume", e.volume);
  f.items("sources", e.sources);
  f.text("command", e.command);
  f.text("plan", e.plan);
  f.list("definitions", e.definitions);
  f.list("runs", e.runs);
  f.list("definition_versions", e.definition_versions);
  shape(f, e.edition);
}

template <class Fields>
void shape(Fields& f, SavedModel& m) {
  f.name(m.name);
  f.text("description", m.description);
  f.text("run", m.run);
  f.text("framework", m.framework);
  f.text("user", m.user);
  f.text("code_hash", m.code_hash);
  f.text("data", m.data);
  f.text("weight", m.weight);
  f.text("project", m.project);
  f.text("promoted_by", m.promoted_by);
  f.count("saved", m.saved);
  f.numbers("metrics", m.metrics);
  shape(f, m.edition);
}

template <class Fields>
void shape(Fields& f, DataAsset& d) {
  f.name(d.name);
  f.text("description", d.description);
  f.text("connection", d.connection);
  f.text("path", d.path);
  f.text("query", d.query);
  f.text("file", d.file);
  f.text("stored", d.stored);
  f.count("version", d.version);
  f.count("size", d.size);
  f.count("files", d.files);
  f.count("saved", d.saved);
}

template <class Fields>
void shape(Fields& f, Space& s) {
  f.name(s.name);
  f.text("description", s.description);
  f.text("plan", s.plan);
  f.members("members", s.members);
}

template <class Asset>
Result<Asset> parsed(const std::string& text) {
  AssetReader reader(text);
  Asset asset;
  shape(reader, asset);
  if (reader.error().code != Code::Ok) return reader.error();
  return asset;
}

template <class Asset>
std::string written(Asset asset) {
  Writer writer;
  shape(writer, asset);
  return writer.text();
}

Result<void> check_reference(const DataAsset& d) {
  bool there = !d.path.empty() || !d.query.empty();
  if (d.connection.empty() && there)
    return fail(Code::BadArgument, "connection: a path or query needs one");
  if (d.connection.empty()) return {};
  if (!is_asset_name(d.connection))
    return fail(Code::BadArgument, "connection: the name of one is wanted");
  if (d.path.empty() == d.query.empty())
    return fail(Code::BadArgument, "connection " + d.connection + ": a path or a query is wanted");
  if (!d.file.empty() && (d.query.empty() || !is_asset_name(d.file)))
    return fail(Code::BadArgument, "file: the name of a query's file is wanted");
  return {};
}

// What an experiment takes: one folder, or sources that are brought to one.
Result<void> check_data(const Experiment& e) {
  if (e.sources.empty() || (e.data.empty() && e.volume.empty())) return {};
  return fail(Code::BadArgument, "sources: data or volume is named, too; one place is wanted");
}

bool has_blank(const std::string& text) { return text.find_first_of(" \t\r\n\v\f") != text.npos; }

}  // namespace

bool is_asset_name(std::string_view name) {
  auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 64 && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), plain);
}

Result<Project> parse_project(const std::string& text) { return parsed<Project>(text); }
Result<Definition> parse_definition(const std::string& text) { return parsed<Definition>(text); }
Result<Experiment> parse_experiment(const std::string& text) {
  WM_TRY(auto experiment, parsed<Experiment>(text));
  WM_TRY(check_data(experiment));
  return experiment;
}
Result<DataAsset> parse_data_asset(const std::string& text) {
  WM_TRY(auto asset, parsed<DataAsset>(text));
  WM_TRY(check_reference(asset));
  return asset;
}
Result<SavedModel> parse_model(const std::string& text) { return parsed<SavedModel>(text); }
Result<Space> parse_space(const std::string& text) { return parsed<Space>(text); }

Result<std::vector<Member>> parse_members(const std::string& text) {
  AssetReader reader(text);
  std::vector<Member> members;
  reader.members("members", members);
  if (reader.error().code != Code::Ok) return reader.error();
  return members;
}

std::string to_text(const Project& p) { return written(p); }
std::string to_text(const Definition& d) { return written(d); }
std::string to_text(const Experiment& e) { return written(e); }
std::string to_text(const SavedModel& s) { return written(s); }
std::string to_text(const Space& s) { return written(s); }
std::string to_text(const DataAsset& d) { return written(d); }

std::string version_of(const Experiment& e, std::size_t i) {
  return i < e.definition_versions.size() ? e.definition_versions[i] : "";
}

std::map<std::string, std::string> origin_labels(const Project& project, const Experiment& e,
                                                 const Definition& d) {
  std::map<std::string, std::string> labels;
  auto add = [&](const char* word, const std::string& value) {
    if (!value.empty()) labels[std::string(kOwnLabel) + word] = value;
  };
  add("project", project.name);
  add("experiment", e.name);
  add("experiment-version", e.edition.version);
  add("definition", d.name);
  add("definition-version", d.edition.version);
  add("package", d.edition.hash);
  return labels;
}

std::map<std::string, std::string> origin_of(const std::map<std::string, std::string>& labels) {
  std::map<std::string, std::string> origin;
  for (std::string word : kOriginWords)
    if (auto found = labels.find(std::string(kOwnLabel) + word); found != labels.end()) {
      std::ranges::replace(word, '-', '_');
      origin[word] = found->second;
    }
  return origin;
}

bool is_own_label(std::string_view label) { return label.starts_with(kOwnLabel); }

std::string data_of(const Project& project, const Experiment& e, const Definition& d) {
  Json json = Json::object();
  if (!d.hardware.empty()) {
    json["hardwareSpec"]["name"] = d.hardware;
  } else if (!d.gpu_kind.empty() && d.device == "gpu") {
    Json gpu{{"num_gpu", d.per_worker}, {"kind", d.gpu_kind}};
    if (!d.mig.empty()) gpu["mig_profile"] = d.mig;
    json["hardwareSpec"]["nodes"]["gpu"] = gpu;
  }
  if (!e.volume.empty()) {
    Json location{{"volume", e.volume}};
    if (!e.data.empty()) location["paths"] = e.data;
    json["dataSource"] = Json::array({Json{{"type", "fs"}, {"location", location}}});
  }
  for (const auto& text : e.sources) {
    auto item = json_or_null(text);
    auto& asset = item["asset"];
    if (asset.is_null()) item.erase("asset");
    else if (asset.is_object() && !asset.contains("project")) asset["project"] = project.name;
    // One of its owner's, also where a member runs it.
    auto connection = item.find("connection");
    if (is_of_other(project.name) && connection != item.end() && connection->is_object())
      (*connection)["project"] = project.name;
    json["dataSource"].push_back(std::move(item));
  }
  return json.empty() ? "" : wm::to_text(json);
}

Result<std::string> args_of(const Project& project, const Experiment& experiment,
                            const Definition& d) {
  std::vector<std::string> words{"--exec-start", d.framework};
  auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--appName", experiment.name == d.name ? d.name : experiment.name + "-" + d.name);
  add("--numWorker", d.nodes);
  if (d.hardware.empty()) {
    add("--workerDeviceType", d.device);
    add("--workerDeviceNum", d.per_worker);
    add("--workerMemory", d.memory);
  }
  add("--consumer", experiment.plan.empty() ? project.plan : experiment.plan);
  if (!experiment.data.empty() && experiment.volume.empty())
    add("--cs-datastore-meta", "type=fs,data_path=" + experiment.data);
  for (const auto& pair : d.env) add("--msd-env", pair);
  for (const auto& word : words)
    if (has_blank(word)) return fail(Code::BadArgument, "'" + word + "': it may hold no blank");
  // The command is the only text of several words: script, then what the script is given.
  auto command = experiment.command.empty() ? d.command : experiment.command;
  auto start = command.find_first_not_of(" \t\r\n\v\f");
  if (start == command.npos) return fail(Code::BadArgument, "command: a script is wanted");
  auto end = command.find_first_of(" \t\r\n\v\f", start);
  add("--model-main", command.substr(start, end == command.npos ? end : end - start));
  auto text = joined(words);
  return end == command.npos ? text : text + " -- " + command.substr(end + 1);
}

}  // namespace wm::rest
