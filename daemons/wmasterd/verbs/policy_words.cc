#include "daemons/wmasterd/verbs/policy_words.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/base/log_text.h"
#include "libwm/model/elements.h"
#include "libwm/submit/stated.h"

namespace wm::master {
namespace {

constexpr std::size_t kMostOptions = 64, kMostValue = 4096;
constexpr JsonLimits kAnswer{Bytes{64 << 10}, 8};

Verdict failed(const std::string& why) { return {Verdict::Kind::Failed, why, {}}; }

Json options_json(const JobSpec& spec) {
  Json all = Json::object();
  for (const auto& [name, values] : cmd::stated_options(spec)) {
    if (values.size() != 1) all[name] = values;
    else if (values[0].empty()) all[name] = true;
    else all[name] = values[0];
  }
  return all;
}

const char* kind_of(const JobSpec& spec) {
  if (!spec.exec.service.empty()) return "service";
  if (!spec.exec.search.empty()) return "search";
  return spec.exec.args.empty() ? "job" : "execution";
}

Json groups_json(const JobSpec& spec) {
  Json all = Json::array();
  for (const auto& group : spec.groups)
    all.push_back({{"name", group.name},
                   {"command", group.command},
                   {"min_tasks", group.min_tasks},
                   {"max_tasks", group.max_tasks},
                   {"R", group.resreq},
                   {"gpu", group.gpu}});
  return all;
}

bool is_flag(std::string_view name) {
  auto options = cmd::submit_options();
  auto at = std::ranges::find(options, name, &cmd::Option::name);
  return at != options.end() && at->kind == cmd::Option::Kind::Flag;
}

Result<std::string> text_of(const std::string& name, const Json& value) {
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  if (value.is_string() && !value.get_ref<const std::string&>().empty() &&
      value.get_ref<const std::string&>().size() <= kMostValue)
    return value.get<std::string>();
  return fail(Code::Damaged, "option " + name + " has no value that it could have");
}

Result<OptionChange> change_of(const std::string& name, const Json& value) {
  if (!cmd::is_policys(name))
    return fail(Code::Damaged, "option " + name.substr(0, 40) + " is not for a policy to change");
  if (value.is_null() || (value.is_boolean() && !value.get<bool>())) return OptionChange{name, {}};
  if (value.is_boolean() != is_flag(name))
    return fail(Code::Damaged, "option " + name + (is_flag(name) ? " is" : " is not") + " a flag");
  if (value.is_boolean()) return OptionChange{name, {""}};
  OptionChange change{name, {}};
  if (!value.is_array()) {
    WM_TRY(auto text, text_of(name, value));
    change.values.push_back(std::move(text));
    return change;
  }
  for (const auto& one : value) {
    WM_TRY(auto text, text_of(name, one));
    change.values.push_back(std::move(text));
  }
  bool some = !change.values.empty() && change.values.size() <= kMostOptions;
  if (some) return change;
  return fail(Code::Damaged, "option " + name + " has no value, or too many");
}

Verdict instead_of(const Json& options) {
  if (!options.is_object() || options.empty() || options.size() > kMostOptions)
    return failed("\"options\" are to be an object of 1 to " + std::to_string(kMostOptions) +
                  " options");
  Verdict verdict{Verdict::Kind::Instead, {}, {}};
  for (const auto& [name, value] : options.items()) {
    auto change = change_of(name, value);
    if (!change) return failed(change.error().text);
    verdict.instead.push_back(*std::move(change));
  }
  return verdict;
}

// Cut between characters: what is sent on is UTF-8.
std::string words_of(const std::string& said) {
  auto words = log::one_line(said);
  if (words.size() <= kMostWords) return words;
  auto end = kMostWords;
  while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xc0) == 0x80) --end;
  return words.substr(0, end) + "...";
}

Error no_answer(const std::string& why) {
  return fail(Code::Unavailable,
              "submit_policy did not answer: " + words_of(why) +
                  "; nothing is submitted or changed, try again or tell your administrator");
}

}  // namespace

void state_tasks(JobSpec& stated, const JobSpec& filled) {
  if (!stated.default_tasks) return;
  stated.min_tasks = filled.min_tasks;
  stated.max_tasks = filled.max_tasks;
  stated.default_tasks = false;
}

std::string policy_line(const Config& config, const PolicySubject& subject) {
  const auto& [verb, by, stated, filled, job, round] = subject;
  const auto* user = config.user(filled.owner.user);
  Json line = {{"version", 1},
               {"verb", verb},
               {"round", round},
               {"by", by.user},
               {"user", filled.owner.user},
               {"uid", filled.owner.uid},
               {"gid", filled.owner.gid},
               {"groups", user ? user->groups : std::vector<std::string>{}},
               {"project", filled.project},
               {"queue", filled.queue},
               {"app", filled.app},
               {"type", to_string(app_of(config, filled).type)},
               {"plan", filled.plan},
               {"kind", kind_of(stated)},
               {"command", stated.program.command},
               {"script", !stated.program.script_hash.empty()},
               {"submit_host", stated.program.submit_host},
               {"options", options_json(stated)}};
  if (job.job != 0) line["job"] = to_string(job);
  if (!stated.array.empty())
    line["array"] = {{"elements", element_count(stated)}, {"at_once", stated.array_limit}};
  if (!stated.exec.service.empty()) line["service"] = stated.exec.service;
  if (!stated.groups.empty()) line["task_groups"] = groups_json(stated);
  return to_text(line) + "\n";
}

Verdict read_verdict(std::string_view text) {
  auto answer = parse_json(text, kAnswer);
  if (!answer) return failed("it wrote what is no JSON: " + answer.error().text);
  if (!answer->is_object() || answer->size() != 1)
    return failed("an object with one member is wanted: accept, refuse or options");
  const auto& name = answer->begin().key();
  const Json& value = answer->begin().value();
  if (name == "accept" && value.is_boolean() && value.get<bool>()) return {};
  if (name == "refuse" && value.is_string() && !value.get_ref<const std::string&>().empty())
    return {Verdict::Kind::Refuse, words_of(value.get<std::string>()), {}};
  if (name == "options") return instead_of(value);
  return failed("member \"" + words_of(name.substr(0, 40)) +
                "\" is none, or has no such value: \"accept\": true, \"refuse\": \"words\" or "
                "\"options\": {...} is wanted");
}

Result<std::vector<OptionChange>> settled(const Config& config, const Verdict& verdict,
                                          const JobSpec& stated, PolicyRound round, WallTime now) {
  using Kind = Verdict::Kind;
  if (verdict.kind == Kind::Accept) return std::vector<OptionChange>{};
  if (verdict.kind == Kind::Refuse) return fail(Code::Denied, "submit_policy: " + verdict.words);
  if (verdict.kind == Kind::Failed) return no_answer(verdict.words);
  cmd::Surroundings here;
  here.limit_unit = config.cluster.lsf.limit_unit();
  here.mem_unit = config.cluster.lsf.mem_unit();
  here.now = now;
  auto wanted = stated;
  auto text = cmd::change_text(verdict.instead);
  if (auto taken = cmd::take_options(verdict.instead, here, wanted); !taken)
    return no_answer("it wants " + text + ": " + taken.error().text);
  if (wanted == stated) return std::vector<OptionChange>{};
  if (round == 1) return verdict.instead;
  return fail(Code::Denied, "submit_policy wants other options" +
                                std::string(round == 0 ? "" : " again") + ": " + text);
}

std::vector<Verdict> read_verdicts(std::string_view text, std::size_t wanted) {
  std::vector<Verdict> all;
  std::size_t lines = 0;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    if (++lines <= wanted) all.push_back(read_verdict(line));
  }
  auto short_of = failed("it wrote " + std::to_string(lines) + " lines for " +
                         std::to_string(wanted) + " jobs");
  if (lines > wanted) all.assign(wanted, short_of);
  all.resize(wanted, short_of);
  return all;
}

}  // namespace wm::master
