// bread: shows the messages that were left at a job, or writes out what is attached to one.
#include <algorithm>
#include <charconv>
#include <fstream>

#include "commands/common/command.h"
#include "libwm/submit/job_names.h"
#include "libwm/view/format.h"
#include "libwm/view/table.h"
#include "libwm/view/times.h"

namespace wm::cmd::bread {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"i", Kind::Number, "index", "This message only"},
    {"a", Kind::Text, "file", "Write what is attached to it to this file; - for standard output"},
    {"w", Kind::IgnoredFlag, "", ""},
    {"N", Kind::IgnoredFlag, "", ""},
};

std::string table(const JobNotes& notes) {
  static constexpr int kWidths[] = {6, 10, 14, 20};
  auto line = [](const view::Cells& cells) {
    return view::line_of(cells, kWidths, view::TooWide::Keep) + "\n";
  };
  std::string text = line({"MSG_ID", "FROM", "POST_TIME", "MESSAGE", "ATTACHMENT"});
  for (const JobNote& note : notes) {
    auto size = " (" + std::to_string(note.data.size()) + " bytes)";
    text += line({std::to_string(note.index), note.by, view::short_time(note.at), note.text,
                  note.file.empty() ? "N" : note.file + size});
  }
  return text;
}

Result<void> write_out(const JobNotes& notes, const std::string& path) {
  if (notes.size() != 1 || notes.front().file.empty())
    return fail(Code::NotFound, "bread: -a wants one message with a file: -i index");
  const std::string& data = notes.front().data;
  if (path == "-") return say(data), Result<void>{};
  std::ofstream file(path, std::ios::binary);
  file << data;
  file.close();
  return file ? Result<void>{} : fail(Code::System, path + ": cannot be written");
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto ids, parse_job_ids(options.words));
  if (ids.size() != 1) return fail(Code::BadArgument, "bread: one job ID is wanted");
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.ask(NotesRequest{ids.front()}));
  if (auto text = options.first("i")) {
    std::uint32_t index = 0;
    auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), index);
    if (ec != std::errc() || end != text->data() + text->size())
      return fail(Code::BadArgument, "-i " + *text + ": Bad argument, a number is wanted");
    std::erase_if(reply.notes, [&](const JobNote& note) { return note.index != index; });
  }
  if (auto path = options.first("a")) {
    WM_TRY(write_out(reply.notes, *path));
    return 0;
  }
  if (reply.notes.empty()) {
    complain("No message available\n");
    return kRefused;
  }
  say(table(reply.notes));
  return 0;
}

}  // namespace
}  // namespace wm::cmd::bread

int main(int argc, char** argv) {
  using namespace wm::cmd::bread;
  return main_of({"bread", "bread [-i index] [-a file] job_id[[index]]", kOptions}, argc, argv,
                 run);
}
