#include "libwm/rest/assets.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libwm/base/joined.h"

namespace wm::rest {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongest = 1 << 20;
constexpr std::size_t kLongestField = 4096;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Reads the fields of one object; the first that does not read is the error.
class Fields {
 public:
  explicit Fields(const std::string& text) {
    if (text.size() <= kLongest) json_ = Json::parse(text, nullptr, false);
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
  const Error& error() const { return error_; }

 private:
  const Json* find(const char* key) const {
    if (error_.code != Code::Ok || !json_.contains(key) || json_[key].is_null()) return nullptr;
    return &json_[key];
  }

  Json json_;
  Error error_;
};

template <class Asset>
Result<Asset> done(const Fields& fields, Asset asset) {
  if (fields.error().code != Code::Ok) return fields.error();
  return asset;
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

Result<Project> parse_project(const std::string& text) {
  Fields fields(text);
  Project p;
  fields.name(p.name);
  fields.text("description", p.description);
  fields.text("plan", p.plan);
  return done(fields, p);
}

Result<Definition> parse_definition(const std::string& text) {
  Fields fields(text);
  Definition d;
  fields.name(d.name);
  fields.text("description", d.description);
  fields.text("framework", d.framework);
  fields.text("command", d.command);
  fields.text("device", d.device);
  fields.text("per_worker", d.per_worker);
  fields.text("memory", d.memory);
  fields.text("nodes", d.nodes);
  fields.text("hardware", d.hardware);
  fields.text("gpu_kind", d.gpu_kind);
  fields.text("mig", d.mig);
  fields.text("code_name", d.code_name);
  fields.list("env", d.env);
  return done(fields, d);
}

Result<Experiment> parse_experiment(const std::string& text) {
  Fields fields(text);
  Experiment e;
  fields.name(e.name);
  fields.text("description", e.description);
  fields.text("data", e.data);
  fields.text("volume", e.volume);
  fields.text("command", e.command);
  fields.text("plan", e.plan);
  fields.list("definitions", e.definitions);
  fields.list("runs", e.runs);
  return done(fields, e);
}

Result<SavedModel> parse_model(const std::string& text) {
  Fields fields(text);
  SavedModel m;
  fields.name(m.name);
  fields.text("description", m.description);
  fields.text("run", m.run);
  fields.text("framework", m.framework);
  fields.text("user", m.user);
  fields.text("code_hash", m.code_hash);
  fields.text("data", m.data);
  fields.text("weight", m.weight);
  fields.text("project", m.project);
  fields.count("saved", m.saved);
  fields.numbers("metrics", m.metrics);
  return done(fields, m);
}

Result<Space> parse_space(const std::string& text) {
  Fields fields(text);
  Space s;
  fields.name(s.name);
  fields.text("description", s.description);
  fields.text("plan", s.plan);
  return done(fields, s);
}

std::string to_text(const Project& p) {
  return dumped({{"name", p.name}, {"description", p.description}, {"plan", p.plan}});
}

std::string to_text(const Definition& d) {
  return dumped({{"name", d.name},
                 {"description", d.description},
                 {"framework", d.framework},
                 {"command", d.command},
                 {"device", d.device},
                 {"per_worker", d.per_worker},
                 {"memory", d.memory},
                 {"nodes", d.nodes},
                 {"hardware", d.hardware},
                 {"gpu_kind", d.gpu_kind},
                 {"mig", d.mig},
                 {"code_name", d.code_name},
                 {"env", d.env}});
}

std::string to_text(const Experiment& e) {
  return dumped({{"name", e.name},
                 {"description", e.description},
                 {"data", e.data},
                 {"volume", e.volume},
                 {"command", e.command},
                 {"plan", e.plan},
                 {"definitions", e.definitions},
                 {"runs", e.runs}});
}

std::string to_text(const SavedModel& m) {
  Json metrics = Json::object();
  for (const auto& [name, value] : m.metrics) metrics[name] = value;
  return dumped({{"name", m.name},
                 {"description", m.description},
                 {"run", m.run},
                 {"framework", m.framework},
                 {"user", m.user},
                 {"code_hash", m.code_hash},
                 {"data", m.data},
                 {"weight", m.weight},
                 {"project", m.project},
                 {"saved", m.saved},
                 {"metrics", metrics}});
}

std::string to_text(const Space& s) {
  return dumped({{"name", s.name}, {"description", s.description}, {"plan", s.plan}});
}

std::string data_of(const Experiment& e, const Definition& d) {
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
  return json.empty() ? "" : dumped(json);
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
