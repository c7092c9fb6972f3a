// The snapshot of a whole state: its parts as lists, each object with its number.
#include "libwm/model/cluster.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"
#include "libwm/codec/token_fields.h"

namespace wm {

/// A cluster's state as it is written; version 1.
struct ClusterImage {
  std::uint32_t version = 1;
  Seq seq;
  WallTime time{};
  Duration clock_doubt{};
  std::shared_ptr<const Config> config;
  std::vector<std::pair<std::uint64_t, Job>> jobs, elements;
  std::vector<Host> hosts;
  std::map<std::string, QueueStanding> queues;
  std::uint64_t next_element = 1;
  std::uint32_t last_job = 0;
  std::uint32_t term = 0;
  LostJobs lost;
  std::vector<std::pair<std::uint32_t, UsageAccount>> accounts;
  std::vector<std::pair<std::uint32_t, BudgetAccount>> budgets;
  std::map<std::string, Reservation> reservations;
  std::map<std::string, JobGroup> job_groups;
  Revocations revoked;
};

WM_FIELDS(BudgetAccount) {
  f(1, s.name), f(2, s.rate), f(3, s.as_of), f(4, s.since), f(5, s.drawn), f(6, s.refunded);
  f(7, s.carried);
}
WM_FIELDS(LostJobs) { f(1, s.after), f(2, s.to); }
WM_FIELDS(ClusterImage) {
  f(1, s.version), f(2, s.seq), f(3, s.time), f(4, s.config), f(5, s.jobs), f(6, s.elements);
  f(7, s.hosts), f(8, s.queues), f(9, s.next_element), f(10, s.last_job);
  f(11, s.accounts);
  f(420, s.budgets);
  f(520, s.reservations), f(521, s.job_groups);
  f(470, s.revoked), f(451, s.term), f(480, s.clock_doubt), f(551, s.lost);
}

namespace {

std::vector<std::pair<std::uint64_t, Job>> listed(const Table<Job>& table) {
  std::vector<std::pair<std::uint64_t, Job>> list;
  table.each([&](std::uint64_t number, const Job& job) { list.emplace_back(number, job); });
  return list;
}

}  // namespace
}  // namespace wm

template <>
std::string wm::codec::encode<wm::Cluster>(const wm::Cluster& cluster) {
  ClusterImage image;
  image.seq = cluster.seq;
  image.time = cluster.time;
  image.clock_doubt = cluster.clock_doubt;
  image.config = cluster.config;
  image.jobs = listed(cluster.jobs);
  image.elements = listed(cluster.elements);
  cluster.hosts.each([&](std::uint32_t, const Host& host) { image.hosts.push_back(host); });
  image.queues = cluster.queues;
  image.next_element = cluster.next_element;
  image.last_job = cluster.last_job;
  image.term = cluster.term;
  image.lost = cluster.lost;
  cluster.accounts.each([&](std::uint32_t number, const UsageAccount& account) {
    image.accounts.emplace_back(number, account);
  });
  cluster.budgets.each([&](std::uint32_t number, const BudgetAccount& account) {
    image.budgets.emplace_back(number, account);
  });
  image.reservations = *cluster.reservations;
  image.job_groups = *cluster.job_groups;
  image.revoked = *cluster.revoked;
  return write_value(image);
}

template <>
wm::Result<wm::Cluster> wm::codec::decode<wm::Cluster>(std::string_view bytes) {
  ClusterImage image;
  if (!read_value(bytes, image)) return fail(Code::Damaged, "damaged snapshot");
  if (image.version != 1)
    return fail(Code::Version,
                "snapshot of version " + std::to_string(image.version) + ", ours is 1");
  Cluster cluster;
  cluster.seq = image.seq;
  cluster.time = image.time;
  cluster.clock_doubt = image.clock_doubt;
  if (image.config) cluster.config = image.config;
  for (auto& [number, job] : image.jobs) cluster.jobs.set(number, std::move(job));
  for (auto& [number, job] : image.elements) cluster.elements.set(number, std::move(job));
  for (auto& host : image.hosts) cluster.hosts.set(host.id.value, host);
  cluster.queues = std::move(image.queues);
  cluster.next_element = image.next_element;
  cluster.last_job = image.last_job;
  cluster.term = image.term;
  cluster.lost = image.lost;
  auto numbers = std::make_shared<AccountNumbers>();
  for (auto& [number, account] : image.accounts) {
    numbers->emplace(AccountName{account.plan, account.user}, number);
    cluster.accounts.set(number, std::move(account));
  }
  cluster.account_numbers = std::move(numbers);
  auto budgets = std::make_shared<BudgetNumbers>();
  for (auto& [number, account] : image.budgets) {
    budgets->emplace(account.name, number);
    cluster.budgets.set(number, std::move(account));
  }
  cluster.budget_numbers = std::move(budgets);
  cluster.reservations.edit() = std::move(image.reservations);
  cluster.job_groups.edit() = std::move(image.job_groups);
  cluster.revoked = std::make_shared<const Revocations>(std::move(image.revoked));
  build_indexes(cluster);
  return cluster;
}
