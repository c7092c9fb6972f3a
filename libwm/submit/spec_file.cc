// One table of keys for the job, one for a group; each row knows its type.
#include "libwm/submit/spec_file.h"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/base/nearest.h"
#include "libwm/base/units.h"
#include "libwm/expr/groups.h"

namespace wm::cmd {
namespace {

using Json = nlohmann::json;

// Keys that are options of bsub.
struct OptionKey {
  const char* key;
  const char* option;
  bool flag = false;
};
constexpr OptionKey kOptionKeys[] = {
    {"name", "J"},           {"queue", "q"},      {"plan", "plan"},
    {"app", "app"},          {"project", "P"},    {"description", "Jd"},
    {"cwd", "cwd"},          {"output", "o"},     {"error", "e"},
    {"input", "i"},          {"run_limit", "W"},  {"memory", "M"},
    {"gpu", "gpu"},          {"tasks", "n"},      {"resreq", "R"},
    {"hosts", "m"},          {"priority", "sp"},  {"dependency", "w"},
    {"begin", "b"},          {"deadline", "t"},   {"pre_exec", "E"},
    {"post_exec", "Ep"},     {"env", "env"},      {"mail", "u"},
    {"elastic", "ar", true}, {"hold", "H", true}, {"rerunnable", "r", true},
    {"exclusive", "x", true}};

Error bad_key(const std::string& key, const std::string& why) {
  return fail(Code::BadArgument, "-spec: " + key + ": " + why);
}

Result<std::string> text_in(const std::string& key, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
  return bad_key(key, "a text or a whole number is wanted");
}

Result<bool> flag_of(const std::string& key, const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  return bad_key(key, "true or false is wanted");
}

Result<std::uint32_t> count_of(const std::string& key, const Json& value) {
  constexpr std::uint64_t kMost = 1'000'000;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= kMost)
    return static_cast<std::uint32_t>(value.get<std::uint64_t>());
  return bad_key(key, "a number from 0 to 1000000 is wanted");
}

// A reader for each key of an object; the first that fails ends it.
using Readers = std::map<std::string, std::function<Result<void>(const Json&)>>;

Result<void> read_object(const Json& object, const std::string& where, const Readers& readers) {
  if (!object.is_object())
    return bad_key(where.empty() ? "the file" : where, "an object {...} is wanted");
  for (const auto& [key, value] : object.items()) {
    auto name = where.empty() ? key : where + "." + key;
    auto reader = readers.find(key);
    if (reader == readers.end()) {
      std::vector<std::string_view> known;
      for (const auto& [word, read] : readers) known.push_back(word);
      auto near = nearest(key, known);
      auto hint = near.empty() ? "" : "; did you mean '" + std::string(near) + "'?";
      return bad_key(name, "is no key here" + hint);
    }
    WM_TRY(reader->second(value));
  }
  return {};
}

auto text_into(const std::string& key, std::string& target) {
  return [key, &target](const Json& value) -> Result<void> {
    WM_TRY(target, text_in(key, value));
    return {};
  };
}

auto flag_into(const std::string& key, bool& target) {
  return [key, &target](const Json& value) -> Result<void> {
    WM_TRY(target, flag_of(key, value));
    return {};
  };
}

auto count_into(const std::string& key, std::uint32_t& target) {
  return [key, &target](const Json& value) -> Result<void> {
    WM_TRY(target, count_of(key, value));
    return {};
  };
}

// "cpus" and "memory" are parts of a requirement.
std::string requirement_of(const std::string& resreq, std::uint32_t cpus,
                           const std::string& memory) {
  std::string text = resreq;
  auto add = [&](const std::string& more) { text += (text.empty() ? "" : " ") + more; };
  if (!memory.empty()) add("rusage[mem=" + memory + "/task]");
  if (cpus > 0) add("affinity[core(" + std::to_string(cpus) + ")]");
  return text;
}

Result<void> read_restart(const std::string& key, const Json& value, TaskGroup& group) {
  WM_TRY(auto word, text_in(key, value));
  if (word == "with-job") group.restart = Restart::WithJob;
  else if (word == "independent") group.restart = Restart::Independent;
  else return bad_key(key, "'" + word + "': with-job or independent is wanted");
  return {};
}

Result<TaskGroup> read_group(const Json& object, const std::string& where) {
  TaskGroup group;
  std::uint32_t cpus = 0;
  std::string memory;
  auto key = [&](const char* name) { return where + "." + name; };
  auto tasks = [&](const Json& value) -> Result<void> {
    WM_TRY(group.min_tasks, count_of(key("tasks"), value));
    group.max_tasks = group.min_tasks;
    return {};
  };
  auto restart = [&](const Json& value) { return read_restart(key("restart"), value, group); };
  WM_TRY(read_object(object, where,
                     {{"name", text_into(key("name"), group.name)},
                      {"role", text_into(key("role"), group.role)},
                      {"command", text_into(key("command"), group.command)},
                      {"tasks", tasks},
                      {"min", count_into(key("min"), group.min_tasks)},
                      {"max", count_into(key("max"), group.max_tasks)},
                      {"gpu", text_into(key("gpu"), group.gpu)},
                      {"resreq", text_into(key("resreq"), group.resreq)},
                      {"cpus", count_into(key("cpus"), cpus)},
                      {"memory", text_into(key("memory"), memory)},
                      {"elastic", flag_into(key("elastic"), group.elastic)},
                      {"restart", restart}}));
  group.resreq = requirement_of(group.resreq, cpus, memory);
  return group;
}

Result<void> read_groups(const Json& list, std::vector<TaskGroup>& groups) {
  if (!list.is_array()) return bad_key("groups", "a list [...] is wanted");
  for (std::size_t i = 0; i < list.size(); ++i) {
    WM_TRY(auto group, read_group(list[i], "groups[" + std::to_string(i) + "]"));
    groups.push_back(std::move(group));
  }
  return {};
}

Result<void> read_labels(const Json& object, std::map<std::string, std::string>& labels) {
  if (!object.is_object()) return bad_key("labels", "an object {...} is wanted");
  for (const auto& [key, value] : object.items()) {
    WM_TRY(labels[key], text_in("labels." + key, value));
  }
  return {};
}

Result<void> read_pending_limit(const Json& value, Duration& limit) {
  WM_TRY(auto text, text_in("pending_limit", value));
  auto read = parse_run_limit(text);
  if (!read) return bad_key("pending_limit", "'" + text + "': [hours:]minutes is wanted");
  limit = *read;
  return {};
}

void add_option_readers(Readers& readers, std::vector<std::string>& words) {
  for (const OptionKey& row : kOptionKeys) {
    readers[row.key] = [&words, row](const Json& value) -> Result<void> {
      if (row.flag) {
        WM_TRY(bool set, flag_of(row.key, value));
        if (set) words.push_back(std::string("-") + row.option);
        return {};
      }
      WM_TRY(auto text, text_in(row.key, value));
      words.push_back(std::string("-") + row.option);
      words.push_back(std::move(text));
      return {};
    };
  }
}

}  // namespace

Result<SpecFile> read_spec_file(std::string_view text) {
  auto read = parse_json<Json>(text);
  if (!read) return fail(Code::BadArgument, "-spec: " + read.error().text);
  const Json& json = *read;
  SpecFile file;
  Readers readers{
      {"command", text_into("command", file.command)},
      {"groups", [&](const Json& value) { return read_groups(value, file.groups); }},
      {"open", flag_into("open", file.open)},
      {"args", text_into("args", file.exec.args)},
      {"framework", text_into("framework", file.exec.framework)},
      {"framework_version", text_into("framework_version", file.exec.version)},
      {"image", text_into("image", file.exec.image)},
      {"labels", [&](const Json& value) { return read_labels(value, file.exec.labels); }},
      {"search",
       [&](const Json& value) -> Result<void> {
         if (!value.is_object()) return bad_key("search", "an object {...} is wanted");
         file.exec.search = to_text(value);
         file.open = true;
         return {};
       }},
      {"pending_limit",
       [&](const Json& value) { return read_pending_limit(value, file.exec.pending_limit); }}};
  add_option_readers(readers, file.options);
  WM_TRY(read_object(json, "", readers));
  return file;
}

Result<void> add_spec_file(SpecFile file, JobSpec& spec) {
  if (file.exec.pending_limit == Duration{}) file.exec.pending_limit = spec.exec.pending_limit;
  spec.exec = std::move(file.exec);
  spec.groups = std::move(file.groups);
  if (!spec.groups.empty()) spec.default_tasks = false;
  spec.open = spec.open || file.open;
  return expr::check_groups(spec);
}

}  // namespace wm::cmd
