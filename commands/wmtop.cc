// wmtop: the cluster on a full screen, live: jobs, hosts, the tree of plans, resizes as they
// happen. What is on the screen is libwm/view/top; here are the terminal (ncurses), the clock and
// the master. Functions, not macros of the same names.
#define NCURSES_NOMACROS 1
#include <ncurses.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <clocale>
#include <mutex>
#include <thread>

#include "commands/common/command.h"
#include "libwm/base/backoff.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/model/verbs/watch_verbs.h"
#include "libwm/view/top.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;
using std::chrono::steady_clock;

constexpr Option kOptions[] = {
    {"b", Kind::Flag, "", "Print the screen once, for scripts"},
    {"p", Kind::Text, "page", "Begin with jobs, hosts or plans"},
    {"f", Kind::Text, "text", "Begin with this filter"},
};

constexpr Duration kPatience = std::chrono::seconds(20);
constexpr auto kBetweenLists = std::chrono::milliseconds(500);  // however much happens
constexpr auto kOldLists = std::chrono::seconds(3);             // however little
constexpr int kEscapeWait_ms = 25;

Result<view::TopPage> page_named(const std::string& word) {
  if (word == "jobs") return view::TopPage::Jobs;
  if (word == "hosts") return view::TopPage::Hosts;
  if (word == "plans") return view::TopPage::Plans;
  return fail(Code::BadArgument, "-p " + word + ": jobs, hosts or plans is wanted");
}

Result<void> list(client::Master& from, view::TopState& state) {
  JobSelection all;
  all.user = "all";
  WM_TRY(auto jobs, from.ask(JobsRequest{all}));
  WM_TRY(auto hosts, from.ask(HostsRequest{}));
  WM_TRY(auto plans, from.ask(PlansRequest{}));
  take(state, std::move(jobs.jobs), std::move(hosts.hosts), std::move(plans.plans));
  return {};
}

// Asks on a connection of its own for what changes, and has the screen's loop woken.
class News {
 public:
  News() {
    if (::pipe(wake_) != 0) wake_[0] = wake_[1] = -1;
    std::thread([this] { run(); }).detach();  // a question is under way when the program ends
  }
  int wake() const { return wake_[0]; }
  std::vector<JobChange> take() {
    char byte[64];
    (void)!::read(wake_[0], byte, sizeof byte);
    std::lock_guard lock(mutex_);
    return std::exchange(changes_, {});
  }

 private:
  void run() {
    auto from = master();
    WatchRequest request{{{}, "all", ""}, {}, kPatience};
    Backoff tries(std::chrono::seconds(1), kOldLists, random_number());
    while (from) {
      auto reply = from->ask(request);
      if (!reply) {
        tries.sleep();
        continue;
      }
      tries.reset();
      request.after = reply->seen;
      if (reply->changes.empty()) continue;
      std::lock_guard lock(mutex_);
      changes_.insert(changes_.end(), reply->changes.begin(), reply->changes.end());
      (void)!::write(wake_[1], "", 1);
    }
  }

  int wake_[2];
  std::mutex mutex_;
  std::vector<JobChange> changes_;
};

// ncurses from construction to destruction.
class Screen {
 public:
  Screen() {
    std::setlocale(LC_ALL, "C.UTF-8");
    good_ = ::isatty(0) && ::isatty(1) && ::newterm(nullptr, stdout, stdin);
    if (!good_) return;
    ::set_escdelay(kEscapeWait_ms);
    ::cbreak();
    ::noecho();
    ::keypad(stdscr, TRUE);
    ::nodelay(stdscr, TRUE);
    ::curs_set(0);
    if (!::has_colors()) return;
    ::start_color();
    ::use_default_colors();
    ::init_pair(1, COLOR_RED, -1);
  }
  ~Screen() {
    if (good_) ::endwin();
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  bool is_good() const { return good_; }

  void show(view::TopState& state) {
    state.rows = LINES;
    state.columns = COLS;
    ::erase();
    int row = 0;
    for (const auto& line : view::top_lines(state)) {
      ::attrset(look(line.style));
      if (line.style == view::TopStyle::Heading)
        ::mvaddstr(row, 0, std::string(static_cast<std::size_t>(COLS), ' ').c_str());
      ::mvaddnstr(row++, 0, line.text.c_str(), static_cast<int>(line.text.size()));
    }
    ::refresh();
  }

 private:
  static int look(view::TopStyle style) {
    switch (style) {
      case view::TopStyle::Strong: return A_BOLD;
      case view::TopStyle::Heading: return A_REVERSE;
      case view::TopStyle::Faint: return A_DIM;
      case view::TopStyle::Alert: return ::has_colors() ? COLOR_PAIR(1) | A_BOLD : A_BOLD;
      case view::TopStyle::Plain: break;
    }
    return A_NORMAL;
  }
  bool good_ = false;
};

void take_key(view::TopState& state, int key) {
  using view::TopKey;
  switch (key) {
    case KEY_UP: return press(state, TopKey::Up);
    case KEY_DOWN: return press(state, TopKey::Down);
    case KEY_PPAGE: return press(state, TopKey::PageUp);
    case KEY_NPAGE: return press(state, TopKey::PageDown);
    case KEY_HOME: return press(state, TopKey::Home);
    case KEY_BACKSPACE:
    case 127:
    case 8: return press(state, TopKey::Erase);
    case '\r':
    case '\n':
    case KEY_ENTER: return press(state, TopKey::Enter);
    case 27: return press(state, TopKey::Escape);
    default:
      if (key > 0 && key < 256) press(state, TopKey::Character, static_cast<char>(key));
  }
}

int watch_screen(client::Master& from, view::TopState& state, Screen& screen) {
  News news;
  auto listed = steady_now();
  bool stale = false;
  while (!state.over) {
    state.now = wall_now();
    screen.show(state);
    pollfd waited[] = {{0, POLLIN, 0}, {news.wake(), POLLIN, 0}};
    ::poll(waited, 2, stale ? 100 : 1000);
    if (waited[0].revents & (POLLHUP | POLLERR)) return 0;
    if (waited[1].revents & POLLIN)
      for (const auto& change : news.take()) {
        tell(state, change);
        stale = true;
      }
    for (int key = ::getch(); key != ERR; key = ::getch()) take_key(state, key);
    auto age = steady_now() - listed;
    bool wanted = !state.paused && (age > kOldLists || (stale && age > kBetweenLists));
    if (!wanted) continue;
    if (auto got = list(from, state); !got) state.trouble = got.error().text;
    listed = steady_now();
    stale = false;
  }
  return 0;
}

Result<int> run(const Parsed& options) {
  if (!options.words.empty())
    return fail(Code::BadArgument, "wmtop: '" + options.words[0] + "': no word is wanted");
  view::TopState state;
  state.filter = options.first("f").value_or("");
  if (auto word = options.first("p")) {
    WM_TRY(state.page, page_named(*word));
  }
  WM_TRY(auto conf, cluster_conf());
  state.cluster = conf.name;
  WM_TRY(auto from, master());
  WM_TRY(list(from, state));
  state.now = wall_now();
  if (options.has("b")) {
    for (const auto& line : view::top_lines(state)) say(line.text + "\n");
    return 0;
  }
  Screen screen;
  if (!screen.is_good())
    return fail(Code::BadArgument, "wmtop: no terminal that it knows (TERM); -b prints once");
  return watch_screen(from, state, screen);
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({"wmtop", "wmtop [-p page] [-f text] [-b]", kOptions}, argc, argv, run);
}
