// Role: see runs.h. The live side is looked through, the archive asked by index; both by one
// matcher.
#include <algorithm>
#include <set>

#include "daemons/wmasterd/state/purge.h"
#include "daemons/wmasterd/verbs/portion.h"
#include "daemons/wmasterd/verbs/runs.h"
#include "libwm/codec/codec.h"

namespace wm::master {
namespace {

// What a summary does not show must not find a run either.
bool asks_what_is_hidden(const RunQuery& q) {
  return !q.name.empty() || !q.text.empty() || !q.label.empty() || !q.tag.empty() ||
         !q.framework.empty() || !q.service.empty() || !q.bundle.empty() || q.search ||
         q.executions || q.starred || q.shelved;
}

// The query with what the asker may see: their own runs, and those of queues they administer.
RunQuery visible(const Config& config, const RunQuery& asked, const RunAsker& asker) {
  RunQuery query = asked;
  query.own = {};
  query.seen_queues.clear();
  if (query.user.empty()) query.user = asker.user;
  if (query.user == "all") query.user.clear();
  auto others = asker.info(false, "");
  bool all = others == JobInfo::All || (others == JobInfo::Summary && !asks_what_is_hidden(query));
  if (all) return query;
  query.own = asker.user;
  for (const auto& queue : config.queues)
    if (asker.info(false, queue.name) == JobInfo::All) query.seen_queues.push_back(queue.name);
  return query;
}

/// A reader of the archive, or of nothing where there is none.
class Kept {
 public:
  static Result<Kept> open(const store::StoreFiles* files) {
    Kept kept;
    if (!files) return kept;
    auto opened = store::ArchiveReader::open(*files);
    if (!opened) return unreadable(opened.error());
    kept.reader_ = std::move(*opened);
    return kept;
  }
  Result<std::vector<std::uint32_t>> numbers(const RunQuery& query, std::size_t limit) {
    if (!reader_) return std::vector<std::uint32_t>{};
    auto found = reader_->numbers(query, limit);
    return found ? found : unreadable(found.error());
  }
  Result<store::FoundRun> words(std::uint32_t job) {
    if (!reader_) return store::FoundRun{};
    auto found = reader_->words(job);
    return found ? found : unreadable(found.error());
  }
  Result<store::FoundRun> run(std::uint32_t job) {
    if (!reader_) return store::FoundRun{};
    auto found = reader_->run(job);
    return found ? found : unreadable(found.error());
  }

 private:
  static Error unreadable(const Error& why) {
    auto code = why.code == Code::Damaged ? Code::Damaged : Code::Unavailable;
    return fail(code, "what has run cannot be read: " + why.text);
  }
  std::unique_ptr<store::ArchiveReader> reader_;
};

// Those that can be the query's, in the page's order: the rest is looked at one by one.
std::vector<const Job*> candidates(const Cluster& state, const RunQuery& query) {
  std::vector<const Job*> jobs;
  auto add = [&](const Job& job) {
    if (query.user.empty() || job.sealed->spec.owner.user == query.user) jobs.push_back(&job);
  };
  if (!query.jobs.empty()) {
    for (auto number : std::set<std::uint32_t>(query.jobs.begin(), query.jobs.end()))
      if (const Job* job = state.jobs.find(number)) add(*job);
  } else {
    state.jobs.each_from(query.from, [&](std::uint64_t number, const Job& job) {
      if (number >= query.to) return false;
      add(job);
      return true;
    });
  }
  if (!query.oldest_first) std::reverse(jobs.begin(), jobs.end());
  return jobs;
}

/// A live run that answers.
struct LiveRun {
  const Job* job = nullptr;
  store::FoundRun known;  // beside the job
};

Result<std::vector<LiveRun>> live_runs(const Cluster& state, const RunQuery& query, Kept& kept,
                                       std::size_t limit) {
  std::vector<LiveRun> found;
  RunQuery without_words = query;
  without_words.name.clear(), without_words.text.clear(), without_words.tag.clear();
  without_words.starred = without_words.shelved = {};
  for (const Job* job : candidates(state, query)) {
    if (found.size() == limit) break;
    auto row = found_by(state, *job);
    if (!store::fits(without_words, row, {})) continue;
    WM_TRY(auto known, kept.words(job->id.job));
    bool gone = !known.gone.empty() && known.gone.front() == 0;
    if (!gone && store::fits(query, row, known.words)) found.push_back({job, std::move(known)});
  }
  return found;
}

/// One entry of a page: of both the live one counts.
struct Entry {
  std::uint32_t number = 0;
  const LiveRun* live = nullptr;
};

std::vector<Entry> merged(const std::vector<LiveRun>& live, const std::vector<std::uint32_t>& kept,
                          const Cluster& state, bool oldest_first) {
  std::vector<Entry> all;
  for (const auto& run : live) all.push_back({run.job->id.job, &run});
  for (auto number : kept)
    if (!state.jobs.find(number)) all.push_back({number, nullptr});
  std::sort(all.begin(), all.end(), [&](const Entry& a, const Entry& b) {
    return oldest_first ? a.number < b.number : b.number < a.number;
  });
  return all;
}

// What others see of it; none: it is not to be seen.
Result<bool> make_visible(RunViewBytes& run, JobInfo info) {
  if (info == JobInfo::None) return false;
  if (info == JobInfo::All) return true;
  for (auto& part : run.parts) {
    WM_TRY(part, summary_bytes(part));
  }
  run.facts.words = {};
  run.facts.given.clear();
  return true;
}

bool owns_row(const RunAsker& asker, const store::RunRow& row) {
  return row.user == asker.user && (row.uid == asker.uid || row.uid == kUnknownUid);
}

// How many answer, live and kept, each once; one more than kMostCounted: more.
Result<std::uint32_t> count_of(const Cluster& state, const RunQuery& asked, Kept& kept) {
  RunQuery query = asked;
  query.from = 0, query.to = ~0u;
  WM_TRY(auto live, live_runs(state, query, kept, kMostCounted + 1));
  std::size_t count = live.size();
  if (count > kMostCounted) return kMostCounted + 1;
  // Of those that are in both the archive's may answer where the live one does not any more.
  WM_TRY(auto numbers, kept.numbers(query, kMostCounted + 1 + live.size()));
  for (auto number : numbers) count += state.jobs.find(number) == nullptr;
  return static_cast<std::uint32_t>(std::min<std::size_t>(count, kMostCounted + 1));
}

}  // namespace

Result<RunsReplyBytes> page_of_runs(const ViewSource& source, const store::StoreFiles* files,
                                    const RunsRequest& request, const RunAsker& asker) {
  if (request.limit == 0 || request.limit > kMostRunsInPage)
    return fail(Code::BadArgument, "limit: " + std::to_string(request.limit) + "; from 1 to " +
                                       std::to_string(kMostRunsInPage));
  const Cluster& state = *source.state;
  auto query = visible(*state.config, request.query, asker);
  WM_TRY(auto kept, Kept::open(files));
  RunsReplyBytes reply;
  if (request.count) {
    WM_TRY(reply.count, count_of(state, query, kept));
  }
  WM_TRY(auto live, live_runs(state, query, kept, request.limit + 1));
  auto asked = request.limit + 1 + live.size();
  WM_TRY(auto numbers, kept.numbers(query, asked));
  Portion portion;
  for (const auto& entry : merged(live, numbers, state, query.oldest_first)) {
    auto page_ends = [&] {
      reply.next = query.oldest_first ? entry.number : entry.number + 1;
      return reply;
    };
    if (reply.runs.size() == request.limit) return page_ends();
    store::FoundRun found;
    if (!entry.live) {
      WM_TRY(found, kept.run(entry.number));
      if (found.row.job == 0) continue;  // it was deleted meanwhile
    } else {
      found.row = found_by(state, *entry.live->job);
    }
    auto made = entry.live ? Result<RunViewBytes>(parts_of_live(source, *entry.live->job,
                                                                entry.live->known, request.whole))
                           : parts_of(found, request.whole);
    if (!made) return made.error();
    auto info = asker.info(owns_row(asker, found.row), found.row.queue);
    WM_TRY(bool shown, make_visible(*made, info));
    if (!shown) continue;
    std::size_t bytes = 0;
    for (const auto& part : made->parts) bytes += part.size();
    for (const auto& given : made->facts.given) bytes += given.size();
    if (!portion.takes(bytes)) return page_ends();
    reply.runs.push_back(std::move(*made));
  }
  // What the archive has of jobs that live again took places of others.
  if (numbers.size() == asked) reply.next = numbers.back() + (query.oldest_first ? 1 : 0);
  return reply;
}

Result<RunStanding> standing_of_run(const Cluster& state, const store::StoreFiles& files, JobId run,
                                    const RunAsker& asker) {
  WM_TRY(auto reader, store::ArchiveReader::open(files));
  RunStanding standing;
  WM_TRY(bool gone, reader->is_gone(run));
  if (gone) return standing;
  WM_TRY(auto found, reader->run(run.job));
  standing.words = found.words;
  if (const Job* job = state.jobs.find(run.job)) {
    found.row = found_by(state, *job);
    standing.live = true;
    standing.over = is_purgeable(state, *job, WallTime::max());
    const Job* element = run.index ? find_job(state, run) : nullptr;
    if (run.index && (!element || !is_over(element->state))) standing.over = false;
  }
  standing.known = found.row.job != 0;
  standing.own = standing.known && owns_row(asker, found.row);
  standing.info = asker.info(standing.own, found.row.queue);
  return standing;
}

}  // namespace wm::master
