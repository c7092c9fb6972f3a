// Role: see report_db.h: opening and writing. What reports ask is in report_sums.cc.
#include "libwm/store/report/report_db.h"

#include <algorithm>
#include <array>
#include <set>

#include "libwm/store/report/host_pack.h"
#include "libwm/store/report/report_schema.h"

namespace wm::store {
namespace {

void bind(Statement& s, const report::Amounts& a) {
  s.bind(a.slot_ms).bind(a.cpu_mms).bind(a.gpu_mms).bind(a.gpueq_mms).bind(a.mem_mib_s);
}

// Of an hour's sums, one number that tells whether they are the same.
struct Fingerprint {
  std::int64_t sum = 0;
  void add(std::int64_t n) {
    sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) * 1099511628211ull ^
                                    static_cast<std::uint64_t>(n));
  }
  static std::int64_t of(const std::string& bytes) {
    Fingerprint print;
    for (char c : bytes) print.add(static_cast<unsigned char>(c));
    return print.sum;
  }
};

}  // namespace

std::string_view refund_name(Refund kind) {
  constexpr std::array<std::string_view, 5> kNames = {"host_lost", "shepherd_lost", "start_failed",
                                                      "stuck", "late"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<std::unique_ptr<ReportDb>> ReportDb::open(const std::string& dir, const std::string& zone) {
  OpenOptions options;
  options.path = dir + "/report.db";
  options.mode = 0640;
  WM_TRY(auto db, Connection::open(options));
  WM_TRY(prepare(*db, kReportSchema));
  std::unique_ptr<ReportDb> made(new ReportDb(std::move(db)));
  WM_TRY(made->move_host_hours());
  WM_TRY(made->keep_zone(zone));
  return made;
}

// What version 1 kept as a row a host, hour and class.
Result<void> ReportDb::move_host_hours() {
  WM_TRY(auto there, db_->number("SELECT count(*) FROM sqlite_schema WHERE name = 'host_hour'"));
  if (!there) return {};
  Transaction whole(*db_);
  WM_TRY(whole.begin());
  std::map<std::int64_t, std::vector<HostUse>> hours;
  {
    auto ask = db_->use("SELECT * FROM host_hour ORDER BY hour, host, class");
    for (;;) {
      WM_TRY(bool row, ask.step());
      if (!row) break;
      hours[ask.number(0)].push_back(
          {static_cast<std::uint32_t>(ask.number(1)),
           static_cast<report::Use>(ask.number(2)),
           {ask.number(3), ask.number(4), ask.number(5), ask.number(6), 0}});
    }
  }
  for (const auto& [hour, rows] : hours) {
    auto bytes = pack_hosts(rows);
    WM_TRY(db_->use("INSERT INTO host_pack VALUES (?, ?)").bind(hour).bind_bytes(bytes).run());
  }
  WM_TRY(db_->exec("DROP TABLE host_hour"));
  return whole.commit();
}

// Its hours begin elsewhere: all is rolled again.
Result<void> ReportDb::keep_zone(const std::string& zone) {
  std::string known;
  {
    auto ask = db_->use("SELECT zone FROM meta");
    WM_TRY(bool row, ask.step());
    if (row) known = ask.text(0);
  }
  if (known == zone) return {};
  Transaction whole(*db_);
  WM_TRY(whole.begin());
  WM_TRY(db_->exec(
      "DELETE FROM hour; DELETE FROM use_hour; DELETE FROM host_pack; DELETE FROM class_hour;"
      "DELETE FROM plan_hour; DELETE FROM ends_hour; DELETE FROM refund;"
      "DELETE FROM restated; UPDATE meta SET rolled_seq = 0"));
  WM_TRY(db_->use("UPDATE meta SET zone = ?").bind_text(zone).run());
  return whole.commit();
}

Result<std::int64_t> ReportDb::final_until() {
  return db_->number("SELECT coalesce(max(start + len), 0) FROM hour WHERE final = 1");
}

Result<std::map<report::Dim, std::int64_t>> ReportDb::dim_numbers(const WindowSums& window) {
  std::set<report::Dim> wanted(window.dims.begin(), window.dims.end());
  for (const auto& row : window.refunds) wanted.insert(row.dim);
  for (const auto& row : window.ends) wanted.insert(row.dim);
  std::map<report::Dim, std::int64_t> numbers;
  for (const auto& dim : wanted) {
    for (const char* sql :
         {"INSERT OR IGNORE INTO dim (user, plan, queue, project, app) VALUES (?, ?, ?, ?, ?)",
          "SELECT id FROM dim WHERE user = ? AND plan = ? AND queue = ? AND project = ?"
          " AND app = ?"}) {
      auto use = db_->use(sql);
      for (const auto* text : {&dim.user, &dim.plan, &dim.queue, &dim.project, &dim.app})
        use.bind_text(*text);
      WM_TRY(bool row, use.step());
      if (row) numbers[dim] = use.number(0);
    }
  }
  return numbers;
}

// Of all hosts of the window.
Result<std::map<std::string, std::int64_t>> ReportDb::host_numbers(const WindowSums& window) {
  std::map<std::string, std::int64_t> numbers;
  for (const auto& row : window.sums.hosts) numbers[row.host];
  for (auto& [name, number] : numbers) {
    WM_TRY(db_->use("INSERT OR IGNORE INTO host (name) VALUES (?)").bind_text(name).run());
    auto ask = db_->use("SELECT id FROM host WHERE name = ?");
    WM_TRY(bool row, ask.bind_text(name).step());
    if (row) number = ask.number(0);
  }
  return numbers;
}

Result<ReportDb::Packs> ReportDb::packs(const WindowSums& window) {
  WM_TRY(auto numbers, host_numbers(window));
  std::map<std::int64_t, std::vector<HostUse>> hours;
  for (const auto& hour : window.hours) hours[hour.start];
  for (const auto& row : window.sums.hosts)
    hours[row.hour].push_back(
        {static_cast<std::uint32_t>(numbers.at(row.host)), row.use, row.amounts});
  Packs made;
  for (auto& [hour, rows] : hours) {
    std::stable_sort(rows.begin(), rows.end(), [](const HostUse& a, const HostUse& b) {
      return std::pair(a.host, a.use) < std::pair(b.host, b.use);
    });
    made[hour] = pack_hosts(rows);
  }
  return made;
}

// Final hours with sums by host that are not what they were.
Result<std::size_t> ReportDb::changed(const Packs& packs, std::int64_t made_at) {
  std::size_t differ = 0;
  for (const auto& [hour, bytes] : packs) {
    WM_TRY(auto final, db_->number("SELECT coalesce(max(final), 0) FROM hour WHERE start = " +
                                   std::to_string(hour)));
    if (!final) continue;
    std::string known;
    {
      auto ask = db_->use("SELECT hosts FROM host_pack WHERE hour = ?");
      WM_TRY(bool row, ask.bind(hour).step());
      if (row) known = ask.text(0);
    }
    if (known == bytes) continue;
    ++differ;
    auto note = db_->use("INSERT OR REPLACE INTO restated VALUES (?, ?, ?, ?)");
    note.bind(hour).bind(made_at).bind(Fingerprint::of(known)).bind(Fingerprint::of(bytes));
    WM_TRY(note.run());
  }
  return differ;
}

Result<void> ReportDb::remove(const WindowSums& window) {
  for (const char* table :
       {"use_hour", "class_hour", "host_pack", "plan_hour", "ends_hour", "refund"}) {
    auto gone = db_->use(std::string("DELETE FROM ") + table + " WHERE hour >= ? AND hour < ?");
    WM_TRY(gone.bind(window.hours.front().start).bind(window.hours.back().end()).run());
  }
  auto gone = db_->use("DELETE FROM hour WHERE start >= ? AND start < ?");
  return gone.bind(window.hours.front().start).bind(window.hours.back().end()).run();
}

Result<void> ReportDb::insert(const WindowSums& window, const Packs& packs) {
  WM_TRY(auto numbers, dim_numbers(window));
  for (const auto& hour : window.hours) {
    auto put = db_->use("INSERT INTO hour VALUES (?, ?, ?)");
    WM_TRY(put.bind(hour.start).bind(hour.len).bind(hour.end() <= window.horizon_ms).run());
  }
  for (const auto& row : window.sums.dims) {
    auto put = db_->use("INSERT INTO use_hour VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    put.bind(row.hour).bind(numbers.at(window.dims[row.dim]));
    bind(put.bind(static_cast<std::int64_t>(row.use)), row.amounts);
    WM_TRY(put.run());
  }
  for (const auto& [hour, bytes] : packs) {
    auto put = db_->use("INSERT INTO host_pack VALUES (?, ?)");
    WM_TRY(put.bind(hour).bind_bytes(bytes).run());
  }
  for (const auto& row : window.sums.hosts) {
    auto put = db_->use(
        "INSERT INTO class_hour VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " slot_ms = slot_ms + excluded.slot_ms, cpu_mms = cpu_mms + excluded.cpu_mms,"
        " gpu_mms = gpu_mms + excluded.gpu_mms, gpueq_mms = gpueq_mms + excluded.gpueq_mms");
    put.bind(row.hour).bind(static_cast<std::int64_t>(row.use)).bind(row.amounts.slot_ms);
    put.bind(row.amounts.cpu_mms).bind(row.amounts.gpu_mms).bind(row.amounts.gpueq_mms);
    WM_TRY(put.run());
  }
  for (const auto& [hour, plan, a] : window.plans) {
    auto put = db_->use("INSERT INTO plan_hour VALUES (?, ?, ?, ?, ?, ?, ?)");
    put.bind(hour).bind_text(plan).bind(a.owned).bind(a.used).bind(a.borrowed).bind(a.lent);
    WM_TRY(put.bind(a.beyond).run());
  }
  for (const auto& row : window.ends) {
    auto put = db_->use(
        "INSERT INTO ends_hour VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " n = n + excluded.n, cpu_us = cpu_us + excluded.cpu_us,"
        " cpu_mms = cpu_mms + excluded.cpu_mms, mem_mib_s = mem_mib_s + excluded.mem_mib_s,"
        " mem_peak_mib_s = mem_peak_mib_s + excluded.mem_peak_mib_s");
    put.bind(row.hour).bind(numbers.at(row.dim)).bind_text(row.outcome).bind(row.n);
    WM_TRY(
        put.bind(row.cpu_us).bind(row.cpu_mms).bind(row.mem_mib_s).bind(row.mem_peak_mib_s).run());
  }
  for (const auto& row : window.refunds) {
    auto put = db_->use("INSERT INTO refund VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    put.bind(row.hour).bind(row.job.job).bind(row.job.index).bind(row.attempt.value);
    bind(put.bind(static_cast<std::int64_t>(row.kind)).bind(numbers.at(row.dim)), row.amounts);
    WM_TRY(put.run());
  }
  return {};
}

Result<std::size_t> ReportDb::put(const WindowSums& window, Seq seq, std::int64_t made_at) {
  Transaction whole(*db_);
  WM_TRY(whole.begin());
  WM_TRY(auto hosts, packs(window));
  WM_TRY(auto differ, changed(hosts, made_at));
  WM_TRY(remove(window));
  WM_TRY(insert(window, hosts));
  WM_TRY(
      db_->use("UPDATE meta SET rolled_seq = ?").bind(static_cast<std::int64_t>(seq.value)).run());
  WM_TRY(whole.commit());
  return differ;
}

}  // namespace wm::store
