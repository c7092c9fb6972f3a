#include "daemons/wmasterd/state/searches.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/base/log.h"
#include "libwm/fsm/fsm.h"

namespace wm::master {
namespace {

using Json = nlohmann::json;

constexpr Duration kRetry = std::chrono::seconds(5);
constexpr Duration kThinks = std::chrono::seconds(10);

bool is_search(const Job& job) { return fsm::is_array(job) && !job.spec().exec.search.empty(); }

bool gives(const Job& base) { return base.state == JobState::Array && !takes_no_more(base); }

// A trial's last report became durable with its end.
const char* word_for(const Job& trial) {
  bool waits = trial.state == JobState::Pending || trial.state == JobState::Held;
  if (waits) return "pending";
  if (!is_over(trial.state)) return "running";
  if (trial.state == JobState::Finished) return "finished";
  return trial.state == JobState::Killed ? "killed" : "failed";
}

bool learns(const Json& search) {
  auto name = search.value("algorithm", std::string());
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name != "random" && name != "experimentgridsearch";
}

Duration run_limit(const Json& search) {
  auto limit = search.find("max_run_s");
  if (limit == search.end() || !limit->is_number_unsigned()) return {};
  constexpr std::uint64_t kMost = 10ull * 365 * 86400;
  return std::chrono::seconds(std::min(limit->get<std::uint64_t>(), kMost));
}

SearchTerms read_terms(const std::string& search) {
  auto json = json_or_null<Json>(search);
  if (!json.is_object()) return {};
  return {learns(json), !json.contains("plugin"), run_limit(json)};
}

std::uint32_t at_once(const JobSpec& spec) { return std::max(1u, spec.array_limit); }

template <class Visit>
void each_trial(const Cluster& state, const Job& base, Visit visit) {
  for (std::uint32_t p = 0; p < elements_there(base); ++p)
    if (const Job* trial = state.elements.find(base.elements.first + p)) visit(*trial);
}

SearchStanding standing_of(const Cluster& state, const Job& base) {
  SearchStanding standing{elements_there(base), 0};
  const StateCounts* counts = state.indexes.arrays.find(base.id.job);
  for (std::size_t s = 0; counts && s < counts->size(); ++s)
    if (!is_over(static_cast<JobState>(s))) standing.live += (*counts)[s];
  return standing;
}

}  // namespace

bool has_suggester(const JobSpec& spec) {
  return !spec.exec.search.empty() && read_terms(spec.exec.search).suggested;
}

std::uint32_t wanted(const Job& base, const SearchTerms& terms, const SearchStanding& standing) {
  const JobSpec& spec = base.spec();
  std::uint32_t most = at_once(spec) + (terms.learns ? 1 : at_once(spec));
  std::uint32_t left = element_count(spec) - standing.given;
  return standing.live >= most ? 0 : std::min(most - standing.live, left);
}

const SearchTerms& Searches::terms_of(const Job& base, Search& search) {
  if (search.of != base.sealed)
    search.of = base.sealed, search.terms = read_terms(base.spec().exec.search);
  return search.terms;
}

// It takes more, or is to be ended at its time.
bool Searches::is_watched(const Job& base, Search& search) {
  if (gives(base)) return true;
  bool ends = base.state == JobState::Array && !base.kill;
  return ends && terms_of(base, search).run_limit != Duration{} &&
         standing_of(journal_.published(), base).live > 0;
}

void Searches::watch(const Job& base) {
  auto [at, is_new] = searches_.try_emplace(base.id.job);
  at->second.stale = true;
  if (!is_watched(base, at->second)) forget(base.id.job);
}

void Searches::forget(std::uint32_t number) {
  if (searches_.erase(number) > 0) note(number, "");
}

void Searches::on_reload() {
  std::erase_if(searches_, [](const auto& entry) { return !entry.second.asking; });
  for (auto& [number, search] : searches_) search.stale = true;
  journal_.published().jobs.each([&](std::uint32_t, const Job& job) {
    if (is_search(job)) watch(job);
  });
}

void Searches::on_jobs_changed(const std::set<JobId>& jobs) {
  std::set<std::uint32_t> changed;
  for (JobId id : jobs) changed.insert(id.job);
  for (auto number : changed) {
    const Job* base = journal_.published().jobs.find(number);
    if (base && is_search(*base)) watch(*base);
    else forget(number);
    if (auto at = searches_.find(number); at != searches_.end()) look(number, at->second);
  }
}

void Searches::on_tick() {
  std::vector<std::uint32_t> numbers;
  for (const auto& [number, search] : searches_) numbers.push_back(number);
  for (auto number : numbers)
    if (auto at = searches_.find(number); at != searches_.end()) look(number, at->second);
}

void Searches::look(std::uint32_t number, Search& search) {
  const WallTime now = clock_.wall();
  if (const Job* base = journal_.newest().jobs.find(number);
      base && end_if_due(*base, terms_of(*base, search)))
    return;
  if (search.asking || !search.stale || now < search.retry_at) return;
  const Cluster& state = journal_.newest();
  const Job* base = state.jobs.find(number);
  if (!base || !gives(*base)) return;
  search.stale = false;
  if (!terms_of(*base, search).suggested) return;
  auto standing = standing_of(state, *base);
  auto number_wanted = wanted(*base, terms_of(*base, search), standing);
  bool full = standing.given == element_count(base->spec());
  if (number_wanted > 0 || full) ask(*base, search, number_wanted);
}

void Searches::ask(const Job& base, Search& search, std::uint32_t wanted) {
  search.asking = true;
  if (reads_configs(base, search)) return;
  auto line = "{\"id\":" + std::to_string(base.id.job) + ",\"wanted\":" + std::to_string(wanted) +
              ",\"search\":" + base.spec().exec.search +
              ",\"history\":" + history_of(base, search) + "}";
  processes_.suggest(
      std::move(line), kThinks,
      [this, number = base.id.job](const Result<std::string>& answer) { take(number, answer); });
}

// What was given before a restart is read again, once and off the loop; then the question is made.
// False: all is known.
bool Searches::reads_configs(const Job& base, const Search& search) {
  using Configs = std::map<std::uint32_t, std::string>;
  auto hashes = std::make_shared<Configs>();
  each_trial(journal_.newest(), base, [&](const Job& trial) {
    if (!search.configs.contains(trial.id.index))
      hashes->emplace(trial.id.index, trial.trial.data_hash);
  });
  if (hashes->empty()) return false;
  auto read = std::make_shared<Configs>();
  workers_.read_store(
      [&store = store_, hashes, read] {
        for (const auto& [index, hash] : *hashes) {
          auto data = hash.empty() ? Result<std::string>("{}") : store.blob(hash);
          read->emplace(index, data ? *std::move(data) : "{}");
        }
      },
      [this, number = base.id.job, read] {
        auto at = searches_.find(number);
        if (at == searches_.end()) return;
        at->second.configs.merge(*read);
        at->second.asking = false;
        at->second.stale = true;
        look(number, at->second);
      });
  return true;
}

std::string Searches::history_of(const Job& base, const Search& search) const {
  std::string history = "[";
  each_trial(journal_.newest(), base, [&](const Job& trial) {
    auto config = search.configs.find(trial.id.index);
    history += history.size() > 1 ? "," : "";
    history += "{\"index\":" + std::to_string(trial.id.index) +
               ",\"config\":" + (config == search.configs.end() ? "{}" : config->second) +
               ",\"state\":\"" + word_for(trial) +
               "\",\"metrics\":" + (trial.trial.report.empty() ? "{}" : trial.trial.report) + "}";
  });
  return history + "]";
}

void Searches::take(std::uint32_t number, const Result<std::string>& answer) {
  auto at = searches_.find(number);
  if (at == searches_.end()) return;
  Search& search = at->second;
  search.asking = false;
  const Job* base = journal_.newest().jobs.find(number);
  if (!base || !gives(*base)) return;
  auto json = answer ? json_or_null<Json>(*answer) : Json();
  if (!json.is_object() || json.contains("error")) {
    auto why = !answer            ? answer.error().text
               : json.is_object() ? json.value("error", std::string("no reason given"))
                                  : std::string("the suggester's answer does not read");
    return fail_with(number, search, why);
  }
  note(number, "");
  Proposal proposal;
  auto position = elements_there(*base);
  for (const auto& config : json.value("configs", Json::array())) {
    if (position >= element_count(base->spec())) break;
    JobId trial{number, element_index(base->spec(), position++)};
    auto data = to_text(config);
    auto hash = keys_.hash(data);
    search.configs[trial.index] = data;
    proposal.blobs.push_back({hash, std::move(data)});
    proposal.events.push_back(ElementGiven{trial, hash});
  }
  for (const auto& index : json.value("stop", Json::array()))
    if (index.is_number_unsigned())
      proposal.events.push_back(KillRequested{
          {number, index.get<std::uint32_t>()},
          {Term::Other, "wm", "the search has stopped it: others do better", clock_.wall()}});
  if (json.value("done", false)) proposal.events.push_back(ArrayClosed{base->id, "wm"});
  if (!proposal.events.empty()) journal_.propose(std::move(proposal));
  // Something may have changed since the question.
  if (at = searches_.find(number); at != searches_.end()) look(number, at->second);
}

void Searches::fail_with(std::uint32_t number, Search& search, const std::string& why) {
  log::warn("search_waits", {{"job", number}, {"why", why}});
  search.retry_at = clock_.wall() + kRetry;
  search.stale = true;
  note(number, why);
}

// Changes a copy: readers elsewhere keep the value that they have.
void Searches::note(std::uint32_t number, const std::string& why) {
  auto at = waits_->find(number);
  if (at == waits_->end() ? why.empty() : at->second == why) return;
  auto changed = std::make_shared<SearchWaits>(*waits_);
  if (why.empty()) changed->erase(number);
  else (*changed)[number] = why;
  waits_ = std::move(changed);
}

// After maxRunTime nothing more is given, and what runs is ended.
bool Searches::end_if_due(const Job& base, const SearchTerms& terms) {
  auto limit = terms.run_limit;
  bool waits = base.state != JobState::Array || base.kill;
  if (limit == Duration{} || waits || clock_.wall() < base.times.submitted + limit) return false;
  Proposal proposal;
  if (!base.elements.closed) proposal.events.push_back(ArrayClosed{base.id, "wm"});
  each_trial(journal_.newest(), base, [&](const Job& trial) {
    if (!is_over(trial.state) && !trial.kill)
      proposal.events.push_back(KillRequested{
          trial.id, {Term::Other, "wm", "the search has reached its maxRunTime", clock_.wall()}});
  });
  if (!proposal.events.empty()) journal_.propose(std::move(proposal));
  return true;
}

}  // namespace wm::master
