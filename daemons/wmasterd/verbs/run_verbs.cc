// Verbs about what has run: pages of it, words of owners, deletion, and how the archive stands.
#include <algorithm>
#include <set>

#include "daemons/wmasterd/acct/archive.h"
#include "daemons/wmasterd/verbs/record.h"
#include "daemons/wmasterd/verbs/runs.h"
#include "daemons/wmasterd/verbs/verbs.h"

namespace wm::master::verbs {
namespace {

constexpr std::size_t kMostDeletedAtOnce = 1000;

RunAsker asker_of(const Service& service, const Call& call) {
  return {call.caller().user, call.caller().uid,
          info_for(service.journal.published().config, service.rights, call.caller())};
}

ViewSource view_source(const Service& service) {
  ViewSource all{service.journal.published_ptr(), service.cycle.reasons(),
                 service.hosts.readings().freeze(), service.hosts.progress(),
                 service.hosts.meetings()};
  if (service.searches) all.waits = service.searches->waits();
  return all;
}

std::string run_named(JobId run) { return "Run <" + to_string(run) + ">"; }

Error no_archive() { return fail(Code::Unavailable, "this master keeps no archive"); }

// Why the run is not to be changed; Ok: it is.
Result<void> check_change(JobId run, const RunStanding& standing, bool deletes) {
  if (!standing.known || standing.info == JobInfo::None)
    return fail(Code::NotFound, run_named(run) + " does not exist");
  if (!standing.own) return fail(Code::Denied, run_named(run) + ": User permission denied");
  if (deletes && !standing.over)
    return fail(Code::Conflict, run_named(run) + " has not ended: stop it first");
  return {};
}

Result<void> check_length(JobId run, const char* what, std::size_t has, std::size_t most) {
  if (has <= most) return {};
  return fail(Code::Limit, run_named(run) + ": " + what + " of " + std::to_string(has) +
                               " bytes; at most " + std::to_string(most));
}

// Tags each once, in order.
Result<RunWords> good_words(JobId run, RunWords words) {
  WM_TRY(check_length(run, "name", words.name.size(), kMostRunName));
  WM_TRY(check_length(run, "description", words.description.size(), kMostRunText));
  WM_TRY(check_length(run, "note", words.note.size(), kMostRunText));
  if (words.tags.size() > kMostRunTags)
    return fail(Code::Limit, run_named(run) + ": " + std::to_string(words.tags.size()) +
                                 " tags; at most " + std::to_string(kMostRunTags));
  for (const auto& tag : words.tags) {
    WM_TRY(check_length(run, "tag", tag.size(), kMostRunTag));
    if (tag.empty() || tag.find('\n') != tag.npos)
      return fail(Code::BadArgument, run_named(run) + ": a tag is empty, or has more than a line");
  }
  if (words.name.find('\n') != words.name.npos)
    return fail(Code::BadArgument, run_named(run) + ": a name has one line");
  std::sort(words.tags.begin(), words.tags.end());
  words.tags.erase(std::unique(words.tags.begin(), words.tags.end()), words.tags.end());
  return words;
}

// Deletes those that may be: the state's part at once, the record with the event.
void delete_checked(Service& service, const Call& call, const DeleteRunsRequest& request,
                    const std::vector<Result<RunStanding>>& standings) {
  OutcomeReply reply;
  Proposal proposal;
  std::set<JobId> deleted;
  const Cluster& state = service.journal.newest();
  for (std::size_t i = 0; i < standings.size(); ++i) {
    JobId run = request.runs[i];
    auto may =
        standings[i] ? check_change(run, *standings[i], true) : Result<void>(standings[i].error());
    if (!may) {
      reply.jobs.push_back({run, code_of(may.error().code), may.error().text});
      continue;
    }
    if (deleted.insert(run).second) {
      if (run.index == 0 && state.jobs.find(run.job)) {
        service.hosts.forget(run);
        proposal.events.push_back(JobPurged{run});
      }
      proposal.events.push_back(RunDeleted{run, call.caller().user});
    }
    reply.jobs.push_back({run, 0, run_named(run) + " is deleted"});
  }
  service.answers.commit_all(call, request.request_key, std::move(proposal), reply);
}

void answer_runs(Service& service, const Call& call, const RunsRequest& request) {
  auto result = std::make_shared<Result<std::string>>(std::string());
  auto damage = std::make_shared<std::optional<Error>>();
  std::optional<store::StoreFiles> files;
  if (service.archive) files = service.archive->files();
  service.env.workers.read_store(
      [result, damage, request, files, source = view_source(service),
       asker = asker_of(service, call)] {
        auto page = page_of_runs(source, files ? &*files : nullptr, request, asker);
        if (!page && page.error().code == Code::Damaged) *damage = page.error();
        *result = page ? Call::encoded(*page) : page.error();
      },
      [&service, call, result, damage] {
        if (*damage) service.archive->suspect(**damage);
        call.send(std::move(*result));
      });
}

}  // namespace

// Who has just deleted or renamed a run sees that, unless the archive is stuck.
void runs(Service& service, const Call& call, const RunsRequest& request) {
  if (!service.archive) return answer_runs(service, call, request);
  service.archive->when_written(
      [&service, call, request](const Result<void>&) { answer_runs(service, call, request); });
}

void delete_runs(Service& service, const Call& call, const DeleteRunsRequest& request) {
  if (!service.archive) return call.refuse(no_archive());
  if (request.runs.empty() || request.runs.size() > kMostDeletedAtOnce)
    return call.refuse(fail(Code::BadArgument, std::to_string(request.runs.size()) +
                                                   " runs; from 1 to " +
                                                   std::to_string(kMostDeletedAtOnce)));
  service.answers.begin(call, request.request_key);
  auto standings = std::make_shared<std::vector<Result<RunStanding>>>();
  service.env.workers.read_store(
      [standings, request, state = service.journal.published_ptr(),
       files = service.archive->files(), asker = asker_of(service, call)] {
        for (JobId run : request.runs)
          standings->push_back(standing_of_run(*state, files, run, asker));
      },
      [&service, call, request, standings] { delete_checked(service, call, request, *standings); });
}

void describe_run(Service& service, const Call& call, const DescribeRunRequest& request) {
  if (!service.archive) return call.refuse(no_archive());
  service.answers.begin(call, request.request_key);
  auto standing = std::make_shared<Result<RunStanding>>(RunStanding{});
  auto look = [standing, run = request.run, state = service.journal.published_ptr(),
               files = service.archive->files(), asker = asker_of(service, call)] {
    *standing = standing_of_run(*state, files, run, asker);
  };
  service.env.workers.read_store(look, [&service, call, request, standing] {
    auto refuse = [&](const Error& error) {
      service.answers.refuse(call, request.request_key, error);
    };
    if (!*standing) return refuse(standing->error());
    if (auto may = check_change(request.run, **standing, false); !may) return refuse(may.error());
    if (request.known && *request.known != (*standing)->words)
      return refuse(
          fail(Code::Stale, run_named(request.run) + ": its description was changed meanwhile"));
    auto words = good_words(request.run, request.words);
    if (!words) return refuse(words.error());
    Proposal proposal;
    proposal.events.push_back(RunDescribed{{request.run.job, 0}, *words, call.caller().user});
    service.answers.commit_all(call, request.request_key, std::move(proposal),
                               DescribeRunReply{*words});
  });
}

void archive(Service& service, const Call& call, const ArchiveRequest& request) {
  if (!service.archive) return call.refuse(no_archive());
  if (request.rebuild) {
    if (auto begun = service.archive->rebuild(); !begun) return call.refuse(begun.error());
    record(service, call, {"archive-rebuild", {}, "", ""});
  }
  auto facts = std::make_shared<Result<store::ArchiveFacts>>(store::ArchiveFacts{});
  service.env.workers.read_store(
      [facts, files = service.archive->files()] {
        auto reader = store::ArchiveReader::open(files);
        *facts = reader ? (*reader)->facts() : Result<store::ArchiveFacts>(reader.error());
      },
      [&service, call, facts] {
        auto reply = service.archive->standing();
        if (*facts) {
          reply.runs = (*facts)->runs, reply.described = (*facts)->described;
          reply.bytes = (*facts)->bytes;
        } else if (reply.trouble.empty()) {
          reply.trouble = facts->error().text;
        }
        call.reply(reply);
      });
}

}  // namespace wm::master::verbs
