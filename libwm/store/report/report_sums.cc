// Role: see report_db.h: what reports ask of it.
#include "libwm/store/report/host_pack.h"
#include "libwm/store/report/report_db.h"

namespace wm::store {
namespace {

report::Amounts amounts(const Statement& row, int at, bool memory = true) {
  return {row.number(at), row.number(at + 1), row.number(at + 2), row.number(at + 3),
          memory ? row.number(at + 4) : 0};
}

report::Dim dim(const Statement& row, int at) {
  return {row.text(at), row.text(at + 1), row.text(at + 2), row.text(at + 3), row.text(at + 4)};
}

// Each row of an answer.
template <class Take>
Result<void> each(Statement& ask, Take take) {
  for (;;) {
    WM_TRY(bool row, ask.step());
    if (!row) return {};
    take(ask);
  }
}

constexpr const char* kAmounts = "sum(slot_ms), sum(cpu_mms), sum(gpu_mms), sum(gpueq_mms)";

}  // namespace

Result<report::ByUse> ReportDb::totals(std::int64_t from, std::int64_t to) {
  report::ByUse total;
  auto ask = db_->use(std::string("SELECT class, ") + kAmounts +
                      " FROM class_hour WHERE hour >= ? AND hour < ? GROUP BY class");
  WM_TRY(each(ask.bind(from).bind(to), [&](const Statement& row) {
    total[static_cast<report::Use>(row.number(0))] = amounts(row, 1, false);
  }));
  auto memory = db_->use(
      "SELECT class, sum(mem_mib_s) FROM use_hour WHERE hour >= ? AND hour < ? GROUP BY class");
  WM_TRY(each(memory.bind(from).bind(to), [&](const Statement& row) {
    total[static_cast<report::Use>(row.number(0))].mem_mib_s = row.number(1);
  }));
  return total;
}

Result<std::vector<ReportDb::HourUse>> ReportDb::hour_uses(std::int64_t from, std::int64_t to) {
  std::vector<HourUse> rows;
  auto ask = db_->use(std::string("SELECT hour, user, plan, queue, project, app, ") + kAmounts +
                      ", sum(mem_mib_s) FROM use_hour JOIN dim ON id = dim"
                      " WHERE hour >= ? AND hour < ? GROUP BY hour, dim ORDER BY hour, dim");
  WM_TRY(each(ask.bind(from).bind(to), [&](const Statement& row) {
    rows.push_back({row.number(0), dim(row, 1), amounts(row, 6)});
  }));
  return rows;
}

Result<std::vector<ReportDb::HourRow>> ReportDb::hours(std::int64_t from, std::int64_t to) {
  std::vector<HourRow> rows;
  auto list =
      db_->use("SELECT start, len, final FROM hour WHERE start >= ? AND start < ? ORDER BY 1");
  WM_TRY(each(list.bind(from).bind(to), [&](const Statement& row) {
    rows.push_back({{row.number(0), row.number(1)}, row.number(2) != 0, {}});
  }));
  auto ask = db_->use(std::string("SELECT hour, class, ") + kAmounts +
                      " FROM class_hour WHERE hour >= ? AND hour < ? GROUP BY hour, class");
  std::size_t at = 0;
  WM_TRY(each(ask.bind(from).bind(to), [&](const Statement& row) {
    while (at < rows.size() && rows[at].hour.start < row.number(0)) ++at;
    if (at < rows.size() && rows[at].hour.start == row.number(0))
      rows[at].uses[static_cast<report::Use>(row.number(1))] = amounts(row, 2, false);
  }));
  return rows;
}

Result<std::vector<ReportDb::DimUse>> ReportDb::dims(std::int64_t from, std::int64_t to) {
  std::map<report::Dim, DimUse> found;
  for (const char* table : {"use_hour", "refund"}) {
    auto ask = db_->use(std::string("SELECT user, plan, queue, project, app, ") + kAmounts +
                        ", sum(mem_mib_s) FROM " + table +
                        " JOIN dim ON id = dim WHERE hour >= ? AND hour < ? GROUP BY dim");
    bool refunds = table == std::string_view("refund");
    WM_TRY(each(ask.bind(from).bind(to), [&](const Statement& row) {
      auto& use = found[dim(row, 0)];
      (refunds ? use.refunded : use.allocated) += amounts(row, 5);
    }));
  }
  std::vector<DimUse> rows;
  for (auto& [key, use] : found) {
    use.dim = key;
    rows.push_back(use);
  }
  return rows;
}

Result<std::map<std::string, report::ByUse>> ReportDb::hosts(std::int64_t from, std::int64_t to) {
  std::map<std::uint32_t, report::ByUse> sums;
  auto ask = db_->use("SELECT hosts FROM host_pack WHERE hour >= ? AND hour < ?");
  ask.bind(from).bind(to);
  for (;;) {
    WM_TRY(bool row, ask.step());
    if (!row) break;
    WM_TRY(auto uses, unpack_hosts(ask.text(0)));
    for (const auto& use : uses) sums[use.host][use.use] += use.amounts;
  }
  std::map<std::string, report::ByUse> rows;
  auto names = db_->use("SELECT id, name FROM host");
  WM_TRY(each(names, [&](const Statement& row) {
    auto at = sums.find(static_cast<std::uint32_t>(row.number(0)));
    if (at != sums.end()) rows[row.text(1)] = at->second;
  }));
  return rows;
}

Result<std::map<std::string, report::PlanAmounts>> ReportDb::plans(std::int64_t from,
                                                                   std::int64_t to) {
  std::map<std::string, report::PlanAmounts> rows;
  auto ask = db_->use(
      "SELECT plan, sum(owned), sum(used), sum(borrowed), sum(lent), sum(beyond) FROM plan_hour"
      " WHERE hour >= ? AND hour < ? GROUP BY plan");
  WM_TRY(each(ask.bind(from).bind(to), [&](const Statement& row) {
    rows[row.text(0)] = {row.number(1), row.number(2), row.number(3), row.number(4), row.number(5)};
  }));
  return rows;
}

Result<std::vector<std::pair<std::int64_t, report::PlanAmounts>>> ReportDb::plan_by_hour(
    const std::string& plan, std::int64_t from, std::int64_t to) {
  std::vector<std::pair<std::int64_t, report::PlanAmounts>> rows;
  auto ask = db_->use(
      "SELECT hour, owned, used, borrowed, lent, beyond FROM plan_hour"
      " WHERE plan = ? AND hour >= ? AND hour < ? ORDER BY hour");
  WM_TRY(each(ask.bind_text(plan).bind(from).bind(to), [&](const Statement& row) {
    rows.emplace_back(row.number(0),
                      report::PlanAmounts{row.number(1), row.number(2), row.number(3),
                                          row.number(4), row.number(5)});
  }));
  return rows;
}

Result<std::vector<RefundRow>> ReportDb::refunds(std::int64_t from, std::int64_t to) {
  std::vector<RefundRow> rows;
  auto ask = db_->use(
      "SELECT hour, job, idx, attempt, kind, user, plan, queue, project, app, slot_ms, cpu_mms,"
      " gpu_mms, gpueq_mms, mem_mib_s FROM refund JOIN dim ON id = dim"
      " WHERE hour >= ? AND hour < ? ORDER BY hour, job, idx, attempt, kind");
  WM_TRY(each(ask.bind(from).bind(to), [&](const Statement& row) {
    auto small = [&](int at) { return static_cast<std::uint32_t>(row.number(at)); };
    rows.push_back({row.number(0),
                    {small(1), small(2)},
                    Attempt{small(3)},
                    static_cast<Refund>(row.number(4)),
                    dim(row, 5),
                    amounts(row, 10)});
  }));
  return rows;
}

Result<std::vector<EndsRow>> ReportDb::ends(std::int64_t from, std::int64_t to) {
  std::vector<EndsRow> rows;
  auto ask = db_->use(
      "SELECT 0, user, plan, queue, project, app, outcome, sum(n), sum(cpu_us), sum(cpu_mms),"
      " sum(mem_mib_s), sum(mem_peak_mib_s) FROM ends_hour JOIN dim ON id = dim"
      " WHERE hour >= ? AND hour < ? GROUP BY dim, outcome ORDER BY dim, outcome");
  WM_TRY(each(ask.bind(from).bind(to), [&](const Statement& row) {
    rows.push_back({0, dim(row, 1), row.text(6), row.number(7), row.number(8), row.number(9),
                    row.number(10), row.number(11)});
  }));
  return rows;
}

Result<std::int64_t> ReportDb::restated(std::int64_t from, std::int64_t to) {
  auto ask = db_->use("SELECT count(DISTINCT hour) FROM restated WHERE hour >= ? AND hour < ?");
  WM_TRY(bool row, ask.bind(from).bind(to).step());
  return row ? ask.number(0) : 0;
}

Result<bool> ReportDb::is_sent(const std::string& report, const std::string& period,
                               const std::string& recipient) {
  auto ask = db_->use("SELECT 1 FROM sent WHERE report = ? AND period = ? AND recipient = ?");
  return ask.bind_text(report).bind_text(period).bind_text(recipient).step();
}

Result<std::optional<std::int64_t>> ReportDb::sent_at(const std::string& report,
                                                      const std::string& period,
                                                      const std::string& recipient) {
  auto ask = db_->use("SELECT at FROM sent WHERE report = ? AND period = ? AND recipient = ?");
  WM_TRY(bool row, ask.bind_text(report).bind_text(period).bind_text(recipient).step());
  return row ? std::optional(ask.number(0)) : std::nullopt;
}

Result<void> ReportDb::note_sent(const std::string& report, const std::string& period,
                                 const std::string& recipient, std::int64_t at) {
  auto put = db_->use("INSERT OR REPLACE INTO sent VALUES (?, ?, ?, ?)");
  return put.bind_text(report).bind_text(period).bind_text(recipient).bind(at).run();
}

}  // namespace wm::store
