#include "daemons/wmasterd/acct/account_sums.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace wm::master {
namespace {

constexpr std::int64_t kLength = std::int64_t{6} * 3600 * 1'000'000;  // of a row of sums
constexpr std::size_t kMostRows = 20'000;                             // in one answer: some MB

std::int64_t us(WallTime time) { return time.time_since_epoch().count(); }

/// Adds up what fits a question.
class Adding {
 public:
  Adding(store::AcctReader& reader, const AcctRequest& request)
      : reader_(reader), request_(request) {
    user_ = request.jobs.user == "all" ? "" : request.jobs.user;
    from_ = std::max<std::int64_t>(1, us(request.ended_from));
    to_ = request.ended_to == WallTime{} ? std::numeric_limits<std::int64_t>::max()
                                         : us(request.ended_to);
    for (auto month : request.months) months_.push_back(us(month));
  }

  Result<void> run() {
    std::set<std::int64_t> cut;
    auto visit = [&](const store::SumRow& row) {
      if (!fits(row.key)) return;
      if (is_cut(row.key.since)) cut.insert(row.key.since);
      else merge(sums_[place(row.key, row.key.since)], row.sum);
    };
    WM_TRY(reader_.sums(user_, from_ - from_ % kLength, to_, visit));
    for (auto hours : cut) WM_TRY(add_jobs(hours));
    return {};
  }

  std::optional<std::vector<AcctSumRow>> rows() && {
    if (sums_.size() > kMostRows) return std::nullopt;
    std::vector<AcctSumRow> rows;
    for (auto& [place, sum] : sums_) {
      const auto& [user, queue, key] = place;
      rows.push_back({user, queue, key, sum});
    }
    return rows;
  }

 private:
  using Place = std::tuple<std::string, std::string, std::string>;

  bool fits(const store::SumKey& key) const {
    const auto& jobs = request_.jobs;
    auto is = [](const std::string& wanted, const std::string& there) {
      return wanted.empty() || wanted == there;
    };
    const auto& plan = request_.plan;
    bool below =
        plan.empty() || plan == "/" || key.plan == plan || key.plan.starts_with(plan + "/");
    return below && is(jobs.queue, key.queue) && is(jobs.project, key.project) &&
           is(jobs.app, key.app) && (key.done ? request_.done : request_.exited);
  }

  bool cuts(std::int64_t edge, std::int64_t hours) const {
    return edge > hours && edge < hours + kLength;
  }
  bool is_cut(std::int64_t hours) const {
    if (cuts(from_, hours) || cuts(to_, hours)) return true;
    if (request_.sums != AcctBy::Month) return false;
    auto month = std::upper_bound(months_.begin(), months_.end(), hours);
    return month != months_.end() && cuts(*month, hours);
  }

  Place place(const store::SumKey& key, std::int64_t at) const {
    auto of = [&]() -> std::string {
      switch (request_.sums) {
        case AcctBy::User: return key.user;
        case AcctBy::Plan: return key.plan;
        case AcctBy::Project: return key.project;
        case AcctBy::Queue: return key.queue;
        case AcctBy::App: return key.app;
        case AcctBy::Month:
          return std::to_string(std::upper_bound(months_.begin(), months_.end(), at) -
                                months_.begin());
        default: return "";
      }
    };
    return {key.user, key.queue, of()};
  }

  Result<void> add_jobs(std::int64_t hours) {
    auto visit = [&](const store::SumKey& key, const AcctFigures& job) {
      if (fits(key)) add(sums_[place(key, us(job.ended))], job);
    };
    return reader_.ended(user_, std::max(hours, from_), std::min(hours + kLength, to_), visit);
  }

  store::AcctReader& reader_;
  const AcctRequest& request_;
  std::string user_;
  std::int64_t from_ = 0, to_ = 0;
  std::vector<std::int64_t> months_;
  std::map<Place, AcctSum> sums_;
};

}  // namespace

bool is_of_sums(const AcctRequest& request) {
  const auto& jobs = request.jobs;
  if (request.sums == AcctBy::None || request.sums == AcctBy::Host) return false;
  for (auto time : {request.submitted_from, request.submitted_to, request.dispatched_from,
                    request.dispatched_to})
    if (time != WallTime{}) return false;
  bool states = jobs.pending_only || jobs.running_only || jobs.suspended_only;
  return jobs.ids.empty() && jobs.name.empty() && jobs.host.empty() && jobs.job_group.empty() &&
         jobs.service_class.empty() && jobs.reservation.empty() && !states;
}

Result<std::optional<std::vector<AcctSumRow>>> read_sums(store::AcctReader& reader,
                                                         const AcctRequest& request) {
  Adding adding(reader, request);
  WM_TRY(adding.run());
  return std::move(adding).rows();
}

}  // namespace wm::master
