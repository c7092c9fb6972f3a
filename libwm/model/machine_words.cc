#include "libwm/model/machine_words.h"

#include <cctype>

namespace wm {

std::string gpu_model_word(std::string_view model) {
  std::string word;
  for (char c : model) {
    if (std::isspace(static_cast<unsigned char>(c))) continue;
    word += c == '-' || c == '/' ? '_' : c;
  }
  return word;
}

std::string host_model_word(std::string_view model) {
  constexpr std::string_view kMarks[] = {"(R)", "(r)", "(TM)", "(tm)"};
  std::string word;
  bool gap = false;
  for (std::size_t at = 0; at < model.size(); ++at) {
    std::size_t mark = 0;
    for (auto one : kMarks)
      if (model.substr(at).starts_with(one)) mark = one.size();
    if (mark > 0) {
      at += mark - 1;
      continue;
    }
    auto c = static_cast<unsigned char>(model[at]);
    if (std::isspace(c)) continue;
    bool kept = c >= 0x80 || std::isalnum(c) || c == '_';
    if (kept && gap && !word.empty()) word += '_';
    gap = !kept;
    if (kept) word += static_cast<char>(c);
  }
  return word;
}

std::string host_type_word(std::string_view type) {
  if (type == "x86_64") return "X86_64";
  if (type == "aarch64") return "LINUX_ARM64";
  if (type == "ppc64le") return "LINUXPPC64LE";
  return std::string(type);
}

std::string machine_word(std::string_view name, std::string_view text) {
  if (name == "type") return host_type_word(text);
  if (name == "model") return host_model_word(text);
  if (name == "gpu_model") return gpu_model_word(text);
  return std::string(text);
}

}  // namespace wm
