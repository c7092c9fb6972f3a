#include "daemons/wmasterd/acct/run_rows.h"

#include <algorithm>
#include <map>

#include "libwm/codec/codec.h"
#include "libwm/codec/packed.h"
#include "libwm/codec/patch.h"
#include "libwm/fsm/fsm.h"
#include "libwm/model/exec_id.h"
#include "libwm/view/sent.h"

namespace wm::master {
namespace {

constexpr std::size_t kMostRunText = 2000;  // in which words are looked for
constexpr Bytes kMostUnpacked{512 << 20};

// What is not over comes first; of ends the worst.
int badness(JobState state) {
  switch (state) {
    case JobState::Unknown: return 9;
    case JobState::Running: return 8;
    case JobState::Suspended: return 7;
    case JobState::Launching: return 6;
    case JobState::Pending: return 5;
    case JobState::Held: return 4;
    case JobState::Error: return 3;
    case JobState::Failed: return 2;
    case JobState::Killed: return 1;
    default: return 0;
  }
}

std::string text_of(const JobSpec& spec) {
  auto text = spec.exec.args.empty() ? spec.program.command : spec.exec.args;
  for (const auto* more : {&spec.description, &spec.exec.framework, &spec.exec.service})
    if (!more->empty()) text += "\n" + *more;
  for (const auto& [key, value] : spec.exec.labels) text += "\n" + key + "=" + value;
  if (text.size() <= kMostRunText) return text;
  text.resize(kMostRunText);
  while (!text.empty() && (text.back() & 0xc0) == 0x80) text.pop_back();  // a letter cut in two
  return text;
}

JobState worst_of(const std::map<JobState, std::uint32_t>& counts) {
  auto worst = std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
    return badness(a.first) < badness(b.first);
  });
  return worst == counts.end() ? JobState::Finished : worst->first;
}

// Parts that are shown: without those that were deleted.
bool is_gone(const store::FoundRun& found, std::uint32_t index) {
  return index != 0 && std::binary_search(found.gone.begin(), found.gone.end(), index);
}

std::vector<std::string> given_to(const Cluster& state, const Job& base, const BlobOf& blob) {
  std::vector<std::string> given;
  if (!base.spec().open) return given;
  auto there = std::min(elements_given(base), kMostElementsKept);
  for (std::uint32_t p = 0; p < there; ++p) {
    const Job* element = state.elements.find(base.elements.first + p);
    const auto& hash = element ? element->trial.data_hash : std::string();
    auto data = hash.empty() || !blob ? Result<std::string>(std::string()) : blob(hash);
    given.push_back(data ? *std::move(data) : "");
  }
  return given;
}

Result<PackedRun> unpack(const std::string& views) {
  WM_TRY(auto bytes, codec::unpacked(views, kMostUnpacked));
  return codec::decode<PackedRun>(bytes);
}

}  // namespace

bool is_to_be_kept(const Config& config, const Job& job) {
  const auto& app = app_of(config, job.spec());
  bool batch = app.type == AppType::Batch && job.spec().exec.search.empty();
  return app.keep_runs || !batch || config.cluster.times.keep_batch_runs > Duration{};
}

store::ArchiveKeep keep_rule(const Config& config) {
  store::ArchiveKeep keep{config.cluster.times.keep_runs, config.cluster.times.keep_batch_runs, {}};
  for (const auto& app : config.apps)
    if (app.keep_runs) keep.apps.emplace_back(app.name, *app.keep_runs);
  return keep;
}

JobState state_of_run(const Cluster& state, const Job& job, RunFacts& facts) {
  facts.job = job.id.job;
  if (!fsm::is_array(job)) return facts.state = job.state;
  std::map<JobState, std::uint32_t> counts;
  for (std::uint32_t p = 0; p < elements_there(job); ++p) {
    const Job* element = state.elements.find(job.elements.first + p);
    JobId id{job.id.job, element_index(job.spec(), p)};
    ++counts[element ? element->state : state_of(job, id)];
  }
  facts.elements = elements_there(job);
  facts.closed = job.elements.closed;
  facts.counts.assign(counts.begin(), counts.end());
  if (facts.elements == 0 && job.kill) return facts.state = JobState::Killed;
  if (!takes_no_more(job)) return facts.state = JobState::Running;
  return facts.state = worst_of(counts);
}

store::RunRow found_by(const Cluster& state, const Job& job) {
  const auto& spec = job.sealed->spec;
  const auto& app = app_of(*state.config, spec);
  store::RunRow row;
  RunFacts facts;
  row.job = job.id.job;
  row.seq = state.seq;
  row.uid = spec.owner.uid, row.user = spec.owner.user;
  row.name = spec.name, row.queue = spec.queue, row.plan = spec.plan, row.project = spec.project;
  row.app = app.name, row.kind = app.type;
  row.framework = spec.exec.framework, row.service = spec.exec.service;
  row.bundle = spec.exec.bundle;
  row.search = !spec.exec.search.empty();
  row.state = state_of_run(state, job, facts);
  row.submitted = job.times.submitted, row.started = job.times.started, row.ended = job.times.ended;
  for (std::uint32_t p = 0; p < facts.elements; ++p)
    if (const Job* element = state.elements.find(job.elements.first + p)) {
      auto began = element->times.started;
      if (began != WallTime{} && (row.started == WallTime{} || began < row.started))
        row.started = began;
      row.ended = std::max(row.ended, element->times.ended);
    }
  if (fsm::is_array(job) && job.kill) row.ended = std::max(row.ended, job.kill->at);
  for (const auto& [key, value] : spec.exec.labels) row.labels.push_back(key + "=" + value);
  row.text = text_of(spec);
  return row;
}

store::RunRow row_of_run(const ViewSource& source, const Job& job, const BlobOf& blob) {
  auto row = found_by(*source.state, job);
  PackedRun run;
  RunFacts facts;
  state_of_run(*source.state, job, facts);
  run.closed = facts.closed, run.elements = facts.elements, run.counts = facts.counts;
  std::uint32_t parts = 0;
  each_part(*source.state, job, [&](const Job& part, JobId id) {
    if (++parts > kMostElementsKept) return;
    auto view = codec::encode(view_of(source, part, id, JobInfo::All));
    if (parts == 1) {
      run.first = std::move(view);
      return;
    }
    auto differs = codec::difference(run.first, view);
    run.others.push_back(differs ? *std::move(differs) : std::string());
  });
  run.given = given_to(*source.state, job, blob);
  // A search without trials has no end that is known, and is not older than all others for that.
  if (row.ended == WallTime{}) row.ended = row.submitted;
  row.views = codec::packed(codec::encode(run));
  return row;
}

RunViewBytes parts_of_live(const ViewSource& source, const Job& job, const store::FoundRun& found,
                           bool whole) {
  RunViewBytes run;
  state_of_run(*source.state, job, run.facts);
  run.facts.words = found.words;
  std::uint32_t parts = 0;
  each_part(*source.state, job, [&](const Job& part, JobId id) {
    if (is_gone(found, id.index)) return;
    if (++parts > (whole ? kMostElementsKept : 1)) return;
    run.parts.push_back(codec::encode(view_of(source, part, id, JobInfo::All)));
  });
  if (whole && parts > kMostElementsKept) run.facts.left_out = parts - kMostElementsKept;
  return run;
}

Result<RunViewBytes> parts_of(const store::FoundRun& found, bool whole) {
  WM_TRY(auto packed, unpack(found.row.views));
  RunViewBytes run;
  run.facts.job = found.row.job;
  run.facts.state = found.row.state;
  run.facts.kept = true;
  run.facts.closed = packed.closed;
  run.facts.elements = packed.elements;
  run.facts.counts = packed.counts;
  run.facts.words = found.words;
  auto shown = static_cast<std::uint32_t>(packed.others.size()) + 1;
  if (packed.elements > shown) run.facts.left_out = packed.elements - shown;
  auto add = [&](std::string view) -> Result<void> {
    if (!found.gone.empty()) {
      WM_TRY(auto head, codec::decode<JobView>(view));
      if (is_gone(found, head.id.index)) return {};
    }
    run.parts.push_back(std::move(view));
    return {};
  };
  if (!packed.first.empty()) WM_TRY(add(packed.first));
  for (const auto& differs : packed.others) {
    if (!whole && !run.parts.empty()) return run;
    auto view = codec::patched(packed.first, differs);
    if (!view) return fail(Code::Damaged, "run " + std::to_string(found.row.job) + ": its record");
    WM_TRY(add(*std::move(view)));
  }
  if (whole) run.facts.given = std::move(packed.given);
  return run;
}

Result<std::string> summary_bytes(const std::string& view) {
  WM_TRY(auto whole, codec::decode<JobView>(view));
  JobView shown;
  shown.job = std::make_shared<Job>(view::sent(*whole.job, view::Reach::Anyone));
  shown.id = whole.id;
  shown.app = whole.app, shown.app_type = whole.app_type, shown.plan = whole.plan;
  shown.resize = whole.resize, shown.task_hosts = whole.task_hosts, shown.exec_id = whole.exec_id;
  shown.run_limit = whole.run_limit;
  return codec::encode(shown);
}

namespace {

JobState state_named(const std::string& word) {
  for (auto state : {JobState::Finished, JobState::Failed, JobState::Killed, JobState::Error})
    if (state_name(state) == word) return state;
  return JobState::Finished;
}

JobView view_of_account(const store::JobRow& from, const Config& config) {
  auto job = std::make_shared<Job>();
  auto sealed = std::make_shared<SealedSpec>();
  auto& spec = sealed->spec;
  spec.owner.user = from.user;
  spec.name = from.name, spec.queue = from.queue, spec.app = from.app, spec.plan = from.plan;
  spec.project = from.project, spec.program.command = from.command, spec.program.cwd = from.cwd;
  spec.program.submit_host = from.submit_host;
  spec.service_class = from.service_class, spec.reservation = from.reservation;
  job->id = from.id;
  job->sealed = std::move(sealed);
  job->state = state_named(from.state);
  job->attempt = from.attempt;
  job->times = {from.submitted, from.dispatched, from.started, from.ended};
  job->outcome.status = from.exit_status;
  job->outcome.text = from.reason;
  job->usage.cpu = from.cpu;
  job->usage.max_mem = from.max_mem;
  job->usage.gpu_energy_mj = from.gpu_energy_mj;
  job->membership.resizes = from.resizes;
  JobView view;
  view.id = from.id;
  view.app = from.app, view.plan = from.plan;
  view.app_type = to_string(app_of(config, job->spec()).type);
  view.exec_id = exec_id(config.cluster.name, from.id);
  view.job = std::move(job);
  return view;
}

}  // namespace

store::RunRow row_of_account(const std::vector<store::JobRow>& rows, const Config& config) {
  PackedRun run;
  store::RunRow row;
  std::map<JobState, std::uint32_t> counts;
  for (const auto& one : rows) {
    auto view = view_of_account(one, config);
    const auto& spec = view.job->spec();
    ++counts[view.job->state];
    auto bytes = codec::encode(view);
    if (!run.first.empty()) {
      run.others.push_back(codec::difference(run.first, bytes).value_or(""));
      row.ended = std::max(row.ended, one.ended);
      continue;
    }
    run.first = std::move(bytes);
    row.uid = kUnknownUid;
    row.job = one.id.job, row.user = one.user, row.name = one.name, row.queue = one.queue;
    row.app = one.app, row.plan = one.plan, row.project = one.project;
    row.kind = app_of(config, spec).type;
    row.submitted = one.submitted, row.started = one.started, row.ended = one.ended;
    row.text = text_of(spec);
  }
  row.state = worst_of(counts);
  if (rows.size() > 1 || (!rows.empty() && rows.front().id.index)) {
    run.elements = static_cast<std::uint32_t>(rows.size());
    run.counts.assign(counts.begin(), counts.end());
  }
  row.views = codec::packed(codec::encode(run));
  return row;
}

}  // namespace wm::master
