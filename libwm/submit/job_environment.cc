// The text into settings, then one setting after the other.
#include "libwm/submit/job_environment.h"

#include <algorithm>
#include <map>
#include <utility>

#include "libwm/model/inheritance.h"

namespace wm::cmd {
namespace {

using Variables = std::map<std::string, std::string>;

constexpr std::string_view kWordBlanks = " \t";

Error bad_setting(const std::string& text, const char* why) {
  return fail(Code::BadArgument, "-env " + text + ": Bad argument, " + why);
}

Variables all_variables(const Surroundings& surroundings) {
  Variables all;
  for (const auto& entry : surroundings.environment)
    if (auto equals = entry.find('='); equals != std::string::npos && equals > 0)
      all[entry.substr(0, equals)] = entry.substr(equals + 1);
  return all;
}

// What a job inherits that is submitted here: nothing that WM has set for the job around us.
Variables without_own(Variables all) {
  leave_out_own(all);
  return all;
}

// Does a quote here begin a value: right behind the first '='?
bool begins_value(const std::string& word) {
  return !word.empty() && word.find('=') == word.size() - 1;
}

// Blanks around a setting do not count, those within quotes do: the first `kept` bytes stay.
void add_trimmed(std::string word, std::size_t kept, std::vector<std::string>& settings) {
  auto last = word.find_last_not_of(kWordBlanks);
  word.resize(std::max(last == word.npos ? 0 : last + 1, kept));
  word.erase(0, word.find_first_not_of(kWordBlanks));
  if (!word.empty()) settings.push_back(std::move(word));
}

// "A=1, B='x, y'" as {"A=1", "B=x, y"}.
Result<std::vector<std::string>> settings_of(const std::string& text) {
  std::vector<std::string> settings;
  std::string word;
  std::size_t kept = 0;
  char quote = 0;
  for (char c : text) {
    if (quote != 0 && c == quote) {
      quote = 0;
      kept = word.size();
    } else if (quote == 0 && (c == '\'' || c == '"') && begins_value(word)) {
      quote = c;
    } else if (quote == 0 && c == ',') {
      add_trimmed(std::exchange(word, ""), std::exchange(kept, 0), settings);
    } else {
      word += c;
    }
  }
  if (quote != 0) return bad_setting(text, "a quote is not closed");
  add_trimmed(std::move(word), kept, settings);
  return settings;
}

Result<void> apply(const std::string& setting, const Variables& here, Variables& job,
                   std::vector<std::string>& unset) {
  auto equals = setting.find('=');
  auto name = setting.substr(0, equals);
  bool remove = name.starts_with('~');
  if (remove) name.erase(0, 1);
  if (name.empty() || name.find(' ') != std::string::npos)
    return bad_setting(setting, "all, none, NAME, NAME=value or ~NAME is wanted");
  if (remove) job.erase(name);
  else if (equals != std::string::npos) job[name] = setting.substr(equals + 1);
  else if (auto at = here.find(name); at != here.end()) job[name] = at->second;
  else unset.push_back(name);
  return {};
}

/// -resume travels in this variable: the host makes the other job's RESULT_DIR of it. What a job
/// has in it was not meant for those that it submits.
constexpr const char* kResumption = "WM_RESUME_FROM";

Result<void> set_resumption(const std::string& from, Variables& job) {
  job.erase(kResumption);
  if (from.empty()) return {};
  if (!parse_job_id(from))
    return fail(Code::BadArgument,
                "-resume " + from + ": Bad argument, a job's number is wanted, as 12 or 12[3]");
  job[kResumption] = from;
  return {};
}

/// Its PyTorch travels in this variable: a host, which is root, does not look into the user's
/// files.
constexpr const char* kTorch = "WM_TORCH";

void set_torch(const Surroundings& surroundings, Variables& job) {
  job.erase(kTorch);
  auto path = job.find("PATH");
  if (!surroundings.torch_of || path == job.end()) return;
  auto version = surroundings.torch_of(path->second, surroundings.home);
  if (!version.empty()) job[kTorch] = version;
}

JobEnvironment in_a_block(const Variables& job, std::vector<std::string> unset = {}) {
  JobEnvironment made{"", std::move(unset)};
  for (const auto& [name, value] : job) made.block += name + "=" + value + '\0';
  return made;
}

}  // namespace

Result<JobEnvironment> make_environment(const Parsed& options, const Surroundings& surroundings) {
  const Variables here = all_variables(surroundings);
  const Variables inherited = without_own(here);
  const auto given = options.all("env");
  Variables job = given.empty() ? inherited : Variables();
  std::vector<std::string> unset;
  for (const auto& text : given) {
    WM_TRY(auto settings, settings_of(text));
    for (const auto& setting : settings) {
      if (setting == "all") job.insert(inherited.begin(), inherited.end());
      else if (setting == "none") job.clear();
      else WM_TRY(apply(setting, here, job, unset));
    }
  }
  auto from = options.first("resume");
  if (from && from->empty()) return fail(Code::BadArgument, "-resume: a job's number is wanted");
  WM_TRY(set_resumption(from.value_or(""), job));
  for (const auto& setting : surroundings.sbatch) WM_TRY(apply(setting, {}, job, unset));
  set_torch(surroundings, job);
  return in_a_block(job, std::move(unset));
}

Result<JobEnvironment> make_environment(const JobRequest& request,
                                        const Surroundings& surroundings) {
  Variables job = without_own(all_variables(surroundings));
  std::vector<std::string> unset;
  for (const auto& [name, value] : request.environment)
    WM_TRY(apply(name + "=" + value, {}, job, unset));
  WM_TRY(set_resumption(request.resume, job));
  set_torch(surroundings, job);
  return in_a_block(job);
}

}  // namespace wm::cmd
