#include "test/support/mutate.h"

#include <algorithm>
#include <cstdlib>

namespace wm::test {
namespace {

constexpr std::size_t kLongestRefusal = 4096;

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f; }

}  // namespace

std::string Mutator::spoiled(std::string text) {
  for (auto edits = 1 + below(4); edits > 0; --edits) {
    auto from = below(text.size() + 1), length = below(std::min<std::size_t>(text.size(), 24) + 1);
    auto part = text.substr(from, length);
    switch (below(5)) {
      case 0: text.erase(from, length); break;
      case 1: text.insert(from, part); break;
      case 2: text.insert(below(text.size() + 1), part); break;
      case 3: text.insert(from, one_of(pieces_)); break;
      default: text.insert(from, 1, static_cast<char>(below(256)));
    }
  }
  return text;
}

unsigned fuzz_count(unsigned n) { return std::getenv("WM_SOAK") ? n * 50 : n; }

std::string trouble_with_refusal(const std::string& text) {
  if (text.empty()) return "says nothing";
  if (text.size() > kLongestRefusal) return std::to_string(text.size()) + " bytes long";
  auto bad = std::find_if(text.begin(), text.end(), is_control);
  if (bad != text.end())
    return "holds the byte " + std::to_string(static_cast<unsigned char>(*bad));
  return "";
}

}  // namespace wm::test
