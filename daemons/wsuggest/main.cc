// wsuggest: the arithmetic of searches: answers each line of JSON on standard input by one on
// standard output (answer.h), in order, until the input ends. Keeps nothing: who reads the answers
// starts another one when this one is gone, and asks again.
#include <unistd.h>

#include <cstring>
#include <iostream>
#include <string>

#include "daemons/wsuggest/answer.h"

namespace {
constexpr int kNice = 5;
}

int main(int argc, char** argv) {
  if (argc > 1) {
    bool help = std::strcmp(argv[1], "--help") == 0;
    (help ? std::cout : std::cerr) << "usage: wsuggest <questions >answers   (wsuggest(8))\n";
    return help ? 0 : 2;
  }
  // The master, on the same cores, goes first. Where that is not allowed it is no less right.
  static_cast<void>(::nice(kNice));
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);)
    if (!line.empty()) std::cout << wm::suggester::answer(line) << '\n' << std::flush;
  return std::cout ? 0 : 1;
}
