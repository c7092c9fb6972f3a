// Role: all commands but the few with libraries of their own, in one program: bin/NAME is a link to
// it, and the name under which it is started says which command it is. Each command's file has its
// main; here it is called NAME_main (Makefile).
#include <cstdio>
#include <cstring>
#include <string_view>

#define COMMAND(name) int name##_main(int argc, char** argv);
#include "commands.inc"
#undef COMMAND

namespace {

struct Entry {
  std::string_view name;
  int (*main)(int argc, char** argv);
};
#define COMMAND(name) {#name, name##_main},
constexpr Entry kCommands[] = {
#include "commands.inc"
};
#undef COMMAND

/// The command of a path: sites put a script before a command and call that bsub.real.
std::string_view command_name(std::string_view path) {
  auto name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
}

const Entry* find(std::string_view name) {
  for (const Entry& entry : kCommands)
    if (entry.name == name) return &entry;
  return nullptr;
}

int refuse(const char* path) {
  std::fprintf(stderr, "%s: no command of this name; there are:", path);
  for (const Entry& entry : kCommands) std::fprintf(stderr, " %s", entry.name.data());
  std::fprintf(stderr, "\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 1) return refuse("wm-commands");
  if (const Entry* entry = find(command_name(argv[0]))) return entry->main(argc, argv);
  const Entry* entry = argc > 1 ? find(argv[1]) : nullptr;  // wm-commands bjobs …
  return entry ? entry->main(argc - 1, argv + 1) : refuse(argv[0]);
}
