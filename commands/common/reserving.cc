#include "commands/common/reserving.h"

#include <charconv>

#include "libwm/submit/times.h"

namespace wm::cmd {
namespace {

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> words;
  constexpr const char* kBlank = " \t,";
  for (std::size_t from = text.find_first_not_of(kBlank); from != text.npos;) {
    auto end = std::min(text.find_first_of(kBlank, from), text.size());
    words.push_back(text.substr(from, end - from));
    from = text.find_first_not_of(kBlank, end);
  }
  return words;
}

Result<void> read_times(const Parsed& options, WallTime now, Reservation& what) {
  bool once = options.has("b") || options.has("e");
  if (once && options.has("t"))
    return fail(Code::BadArgument, "-b and -e are for once, -t comes again: not both");
  if (auto text = options.first("t")) {
    WM_TRY(what.windows, parse_windows(*text));
    if (what.windows.empty()) return fail(Code::BadArgument, "-t: a time window is wanted");
    what.begin = what.end = {};
  }
  if (auto text = options.first("b")) {
    WM_TRY(what.begin, parse_date(*text, now));
    what.windows.clear();
  }
  if (auto text = options.first("e")) {
    WM_TRY(what.end, parse_date(*text, std::max(now, what.begin)));
    what.windows.clear();
  }
  return {};
}

}  // namespace

Result<void> read_reservation(const Parsed& options, WallTime now, Reservation& what) {
  if (options.has("u") + options.has("g") + options.has("s") > 1)
    return fail(Code::BadArgument, "one of -u, -g and -s is wanted");
  if (auto users = options.first("u")) what.kind = ReservedFor::User, what.users = names_in(*users);
  if (auto group = options.first("g"))
    what.kind = ReservedFor::Group, what.users = names_in(*group);
  if (options.has("s")) what.kind = ReservedFor::System, what.users.clear();
  if (options.has("o")) what.open = true;
  if (options.has("on")) what.open = false;
  if (auto text = options.first("d")) what.text = *text;
  return read_times(options, now, what);
}

Result<void> read_places(const Parsed& options, ReserveRequest& request) {
  if (auto text = options.first("n")) {
    auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), request.amount);
    bool good = ec == std::errc() && end == text->data() + text->size() && request.amount > 0;
    if (!good) return fail(Code::BadArgument, "-n " + *text + ": Bad argument, a number is wanted");
  }
  if (auto unit = options.first("unit")) {
    if (*unit != "slot" && *unit != "host")
      return fail(Code::BadArgument, "-unit " + *unit + ": Bad argument, slot or host is wanted");
    request.whole_hosts = *unit == "host";
  }
  if (auto hosts = options.first("m")) request.hosts = names_in(*hosts);
  if (auto select = options.first("R")) {
    request.select = *select;
    constexpr std::string_view kOpens = "select[";
    bool framed = request.select.starts_with(kOpens) && request.select.ends_with(']');
    if (framed)
      request.select =
          request.select.substr(kOpens.size(), request.select.size() - kOpens.size() - 1);
  }
  return {};
}

}  // namespace wm::cmd
