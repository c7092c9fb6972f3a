#include "libwm/view/top.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <utility>

#include "libwm/base/local_time.h"
#include "libwm/view/format.h"
#include "libwm/view/host_fields.h"
#include "libwm/view/plan_fields.h"
#include "libwm/view/table.h"

namespace wm::view {
namespace {

constexpr std::size_t kSamples = 240;
constexpr std::size_t kResizes = 50;
constexpr std::size_t kShownResizes = 4;

std::string clock_text(WallTime at) { return local_text(at, "%H:%M:%S"); }

std::string age_text(Duration age) {
  auto seconds =
      std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::seconds>(age).count(), 0);
  auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  if (seconds >= 86400)
    return std::to_string(seconds / 86400) + "d" + two(seconds % 86400 / 3600) + "h";
  if (seconds >= 3600) return std::to_string(seconds / 3600) + "h" + two(seconds % 3600 / 60) + "m";
  return std::to_string(seconds / 60) + ":" + two(seconds % 60);
}

std::string bar(std::uint64_t part, std::uint64_t whole, std::size_t width) {
  auto filled = whole == 0 ? 0 : std::min<std::uint64_t>(width, part * width / whole);
  if (part > 0 && filled == 0) filled = 1;
  return "[" + std::string(filled, '#') + std::string(width - filled, ' ') + "]";
}

struct Sum {
  std::uint64_t slots = 0, used = 0, gpus = 0, gpus_used = 0, hosts = 0, open = 0;
};

std::uint64_t gpus_in_use(const Host& host) {
  auto held = static_cast<std::uint64_t>(
      std::ranges::count_if(host.gpu_owners, [](const auto& owner) { return owner.job.job != 0; }));
  std::map<std::uint16_t, bool> shared;
  for (const auto& share : host.gpu_shares) shared[share.gpu] = true;
  return held + shared.size();
}

Sum sum_of(std::span<const HostView> hosts) {
  Sum sum;
  for (const auto& view : hosts) {
    ++sum.hosts;
    sum.gpus_used += gpus_in_use(view.host);
    sum.used += view.host.used_slots;
    if (view.host.state != HostState::Ok) continue;
    sum.open += is_open(view.host);
    sum.slots += view.host.capacity.slots;
    sum.gpus += view.host.capacity.gpus.size();
  }
  return sum;
}

std::vector<TopLine> heading(const TopState& s) {
  std::uint32_t running = 0, pending = 0, suspended = 0;
  for (const auto& view : s.jobs) {
    auto word = lsf_state(*view.job);
    running += word == "RUN" || word == "UNKWN";
    pending += word == "PEND";
    suspended += word.ends_with("SUSP");
  }
  auto sum = sum_of(s.hosts);
  auto number = [](std::uint64_t n) { return std::to_string(n); };
  std::vector<TopLine> lines;
  lines.push_back({"wmtop  " + printable(s.cluster) + "  " + clock_text(s.now) +
                       "   jobs: " + number(running) + " run, " + number(pending) + " pend, " +
                       number(suspended) + " susp   hosts: " + number(sum.open) + "/" +
                       number(sum.hosts) + " open",
                   TopStyle::Strong});
  std::string use =
      "slots " + bar(sum.used, sum.slots, 20) + " " + number(sum.used) + "/" + number(sum.slots);
  if (sum.gpus)
    use += "   GPUs " + bar(sum.gpus_used, sum.gpus, 16) + " " + number(sum.gpus_used) + "/" +
           number(sum.gpus);
  lines.push_back({use});
  std::string said = s.trouble;
  if (s.typing) said = "filter: " + s.filter + "_";
  else if (said.empty() && !s.filter.empty())
    said = "only what has '" + s.filter + "' (/ changes it)";
  else if (said.empty() && s.paused) said = "paused (space goes on)";
  lines.push_back({printable(said), s.trouble.empty() ? TopStyle::Faint : TopStyle::Alert});
  return lines;
}

// Titles and widths of columns; the last one is as wide as there is room.
struct Table {
  Cells titles;
  std::vector<int> widths;
};

bool has(const Cells& cells, const std::string& filter) {
  return filter.empty() || std::ranges::any_of(cells, [&](const auto& cell) {
           return cell.find(filter) != std::string::npos;
         });
}

const Table& job_columns() {
  static const Table table{
      {"JOBID", "USER", "STAT", "SLOTS", "TIME", "QUEUE", "PLAN", "HOSTS", "NAME"},
      {-7, 8, 5, -6, -6, 7, 10, 10, 0}};
  return table;
}

std::string hosts_text(const JobView& view) {
  std::vector<std::pair<std::string, int>> counts;
  for (std::size_t i = 0; i < view.task_hosts.size() && i < view.job->tasks.size(); ++i) {
    if (!view.job->tasks[i].holds_slot()) continue;
    if (counts.empty() || counts.back().first != view.task_hosts[i])
      counts.push_back({view.task_hosts[i], 0});
    ++counts.back().second;
  }
  std::string text;
  for (const auto& [name, n] : counts)
    text += (text.empty() ? "" : ",") + (n > 1 ? std::to_string(n) + "*" : "") + name;
  return text.empty() ? "-" : text;
}

// Running jobs first, the largest on top; then those that wait, in their order.
bool goes_before(const JobView& a, const JobView& b) {
  auto rank = [](const JobView& view) { return slots_held(*view.job); };
  if (rank(a) != rank(b)) return rank(a) > rank(b);
  return a.id < b.id;
}

Cells job_cells(const TopState& s, const JobView& view) {
  const Job& job = *view.job;
  auto held = slots_held(job);
  auto most = task_cap(job);
  std::string slots = held ? std::to_string(held) : "-";
  if (job.spec().elastic && held) slots += "/" + std::to_string(most);
  auto since = job.times.started != WallTime{} && held ? job.times.started : job.times.submitted;
  return {to_string(view.id),
          job.spec().owner.user,
          std::string(lsf_state(job)),
          slots,
          age_text(s.now - since),
          job.spec().queue,
          view.plan,
          hosts_text(view),
          job.spec().name};
}

struct Page {
  std::string titles;
  std::vector<TopLine> lines;
};

Page job_page(const TopState& s) {
  std::vector<const JobView*> order;
  for (const auto& view : s.jobs) order.push_back(&view);
  std::ranges::sort(order, [](auto* a, auto* b) { return goes_before(*a, *b); });
  Page page{line_of(job_columns().titles, job_columns().widths), {}};
  for (const auto* view : order) {
    auto cells = job_cells(s, *view);
    if (!has(cells, s.filter)) continue;
    auto style = cells[2] == "RUN"     ? TopStyle::Plain
                 : cells[2] == "UNKWN" ? TopStyle::Alert
                                       : TopStyle::Faint;
    page.lines.push_back({line_of(cells, job_columns().widths), style});
  }
  return page;
}

Page host_page(const TopState& s) {
  static const Table table{{"HOST", "STATUS", "SLOTS", "", "GPUS", "LOAD", "JOBS"},
                           {16, 10, -9, 22, -7, -6, 0}};
  Page page{line_of(table.titles, table.widths), {}};
  for (const auto& view : s.hosts) {
    const Host& host = view.host;
    auto gpus = host.capacity.gpus.size();
    std::array<char, 16> load{};
    std::snprintf(load.data(), load.size(), "%.1f", view.load);
    Cells cells = {host.name,
                   host_status(view),
                   std::to_string(host.used_slots) + "/" + std::to_string(host.capacity.slots),
                   bar(host.used_slots, host.capacity.slots, 20),
                   gpus ? std::to_string(gpus_in_use(host)) + "/" + std::to_string(gpus) : "-",
                   load.data(),
                   std::to_string(view.jobs)};
    if (!has(cells, s.filter)) continue;
    page.lines.push_back(
        {line_of(cells, table.widths), is_open(host) ? TopStyle::Plain : TopStyle::Alert});
  }
  return page;
}

Page plan_page(const TopState& s) {
  auto most = static_cast<std::uint32_t>(std::max<std::uint64_t>(sum_of(s.hosts).slots, 1));
  auto over_time = static_cast<std::size_t>(std::max(s.columns - 54, 8));
  Page page{"PLAN                   OWNS  USED DEMAND DESERVED  USED OVER TIME", {}};
  static const Table table{{}, {22, -4, -5, -6, -8, 0}};
  for (const auto& plan : s.plans) {
    auto known = s.used.find(plan.path);
    Cells cells = {tree_name(plan.path),
                   std::to_string(plan.owns),
                   std::to_string(plan.used),
                   std::to_string(plan.demand),
                   std::to_string(plan.deserved),
                   known == s.used.end() ? "" : sparkline(known->second, most, over_time)};
    if (!s.filter.empty() && plan.path.find(s.filter) == std::string::npos) continue;
    page.lines.push_back({line_of(cells, table.widths),
                          plan.used > plan.deserved ? TopStyle::Strong : TopStyle::Plain});
  }
  return page;
}

Page help_page() {
  Page page{"KEYS", {}};
  for (const char* text : {"1 j   jobs, with what was resized", "2 h   hosts",
                           "3 p   the tree of plans, with slots over time",
                           "/     only what has a text in it; Enter keeps it, Escape takes it away",
                           "arrows, page up and down, g    scroll", "space  stand still, go on",
                           "? 4   this page", "q     leave"})
    page.lines.push_back({text});
  return page;
}

Page page_of(const TopState& s) {
  switch (s.page) {
    case TopPage::Jobs: return job_page(s);
    case TopPage::Hosts: return host_page(s);
    case TopPage::Plans: return plan_page(s);
    case TopPage::Help: return help_page();
  }
  return {};
}

std::vector<TopLine> resize_lines(const TopState& s) {
  std::vector<TopLine> lines;
  for (const auto& one : s.resizes) {
    if (lines.size() == kShownResizes) break;
    lines.push_back({clock_text(one.at) + "  job " + to_string(one.job) + " of " +
                         printable(one.user) + ": " + std::to_string(one.from) + " -> " +
                         std::to_string(one.to) + " slots  " + printable(one.name),
                     one.to < one.from ? TopStyle::Alert : TopStyle::Strong});
  }
  if (!lines.empty()) lines.insert(lines.begin(), TopLine{"RESIZED", TopStyle::Heading});
  return lines;
}

void clip(std::vector<TopLine>& lines, int rows, int columns) {
  lines.resize(static_cast<std::size_t>(std::max(rows, 0)));
  for (auto& line : lines)
    line.text = first_columns(line.text, static_cast<std::size_t>(std::max(columns, 0)));
}

void type_filter(TopState& state, TopKey key, char character) {
  if (key == TopKey::Enter) state.typing = false;
  else if (key == TopKey::Escape) state.typing = false, state.filter.clear();
  else if (key == TopKey::Erase && !state.filter.empty()) state.filter.pop_back();
  else if (key == TopKey::Character && static_cast<unsigned char>(character) >= ' ' &&
           state.filter.size() < 40)
    state.filter += character;
  state.first = 0;
}

void show(TopState& state, TopPage page) {
  state.page = page;
  state.first = 0;
}

void type(TopState& state, char character) {
  switch (character) {
    case 'q': state.over = true; break;
    case '1':
    case 'j': return show(state, TopPage::Jobs);
    case '2':
    case 'h': return show(state, TopPage::Hosts);
    case '3':
    case 'p': return show(state, TopPage::Plans);
    case '4':
    case '?': return show(state, TopPage::Help);
    case 'g': state.first = 0; break;
    case ' ': state.paused = !state.paused; break;
    case '/': state.typing = true; break;
    default: break;
  }
}

}  // namespace

std::string sparkline(const std::deque<std::uint32_t>& used, std::uint32_t most,
                      std::size_t width) {
  static constexpr std::string_view kLevels = " .:-=+*#%@";
  std::string text;
  auto begin = used.size() > width ? used.size() - width : 0;
  for (auto i = begin; i < used.size(); ++i) {
    auto level = most == 0 ? 0 : (used[i] * (kLevels.size() - 1) + most - 1) / most;
    text += kLevels[std::min<std::size_t>(level, kLevels.size() - 1)];
  }
  return std::string(width - text.size(), ' ') + text;
}

void take(TopState& state, std::vector<JobView> jobs, std::vector<HostView> hosts,
          std::vector<PlanView> plans) {
  state.jobs = std::move(jobs);
  state.hosts = std::move(hosts);
  state.plans = std::move(plans);
  state.trouble.clear();
  for (const auto& plan : state.plans) {
    auto& samples = state.used[plan.path];
    samples.push_back(plan.used);
    if (samples.size() > kSamples) samples.pop_front();
  }
  for (const auto& view : state.jobs)
    if (auto held = slots_held(*view.job); held && view.job->state == JobState::Running)
      state.slots.try_emplace(view.id, held);
}

void tell(TopState& state, const JobChange& change) {
  if (change.state != JobState::Running) {
    state.slots.erase(change.id);
    return;
  }
  auto [known, is_new] = state.slots.try_emplace(change.id, change.slots);
  if (is_new || known->second == change.slots) return;
  state.resizes.push_front(
      {change.at, change.id, change.user, change.name, known->second, change.slots});
  if (state.resizes.size() > kResizes) state.resizes.pop_back();
  known->second = change.slots;
}

void press(TopState& state, TopKey key, char character) {
  if (state.typing) return type_filter(state, key, character);
  auto page = static_cast<std::size_t>(std::max(state.rows - 8, 1));
  switch (key) {
    case TopKey::Character: return type(state, character);
    case TopKey::Up: state.first -= state.first > 0; break;
    case TopKey::Down: ++state.first; break;
    case TopKey::PageUp: state.first -= std::min(state.first, page); break;
    case TopKey::PageDown: state.first += page; break;
    case TopKey::Home: state.first = 0; break;
    case TopKey::Escape: state.filter.clear(); break;
    default: break;
  }
}

std::vector<TopLine> top_lines(const TopState& state) {
  auto lines = heading(state);
  auto page = page_of(state);
  auto below = state.page == TopPage::Jobs ? resize_lines(state) : std::vector<TopLine>();
  lines.push_back({page.titles, TopStyle::Heading});
  auto room = static_cast<std::size_t>(
      std::max(state.rows - static_cast<int>(lines.size() + below.size()) - 1, 1));
  // The last line stays in sight however far somebody scrolls.
  auto most_first = page.lines.size() > room ? page.lines.size() - room : 0;
  auto first = std::min(state.first, most_first);
  for (std::size_t i = 0; i < room; ++i)
    lines.push_back(first + i < page.lines.size() ? page.lines[first + i] : TopLine{});
  lines.insert(lines.end(), below.begin(), below.end());
  lines.push_back({"1 jobs  2 hosts  3 plans  / filter  ? keys  q leave", TopStyle::Faint});
  clip(lines, state.rows, state.columns);
  return lines;
}

}  // namespace wm::view
