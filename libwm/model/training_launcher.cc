#include "libwm/model/training_launcher.h"

#include <algorithm>
#include <array>
#include <span>

namespace wm {
namespace {

using Words = std::span<const std::string_view>;

std::vector<std::string_view> first_words(std::string_view text) {
  constexpr std::size_t kMax = 64;
  constexpr std::string_view kBlank = " \t\n";
  std::vector<std::string_view> words;
  while (words.size() < kMax) {
    auto from = text.find_first_not_of(kBlank);
    if (from == text.npos) break;
    text.remove_prefix(from);
    auto end = std::min(text.find_first_of(kBlank), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// "A=1" and "exec" say nothing about what is started.
bool is_prefix(std::string_view word) {
  auto equals = word.find('=');
  bool assigns = equals != word.npos && equals > 0 && word.find('/') > equals;
  return assigns || word == "exec";
}

/// A program that runs the command behind its own words.
struct Wrapper {
  std::string_view name;
  std::string_view verb;     ///< the word behind its name; empty: none
  std::string_view valued;   ///< options with their value in the next word, each between blanks
  std::size_t operands = 0;  ///< words before the command that are no options
};

// Options with "=" have their value in them.
constexpr std::array kWrappers = {
    Wrapper{"env", "", " -u -C -S --unset --chdir "},
    Wrapper{"time", "", " -o -f --output --format "},
    Wrapper{"nohup", "", " "},
    Wrapper{"nice", "", " -n --adjustment "},
    Wrapper{"ionice", "", " -c -n --class --classdata "},
    Wrapper{"stdbuf", "", " -i -o -e --input --output --error "},
    Wrapper{"timeout", "", " -k -s --kill-after --signal ", 1},
    Wrapper{"taskset", "", " ", 1},
    Wrapper{"numactl", "",
            " -N -m -i -p -C --cpunodebind --membind --interleave --preferred --physcpubind "},
    Wrapper{
        "uv", "run",
        " -p --python --with --with-editable --with-requirements --project --directory --extra "
        "--group "
        "--only-group --no-group --env-file --package --index --default-index -i --index-url "
        "--extra-index-url -f --find-links -C --config-setting --cache-dir --config-file --color "},
    Wrapper{"poetry", "run", " -C -P --directory --project "},
    Wrapper{"pipenv", "run", " "},
    Wrapper{"pdm", "run", " -p --project --venv "},
    Wrapper{"conda", "run", " -n --name -p --prefix --cwd "},
    Wrapper{"mamba", "run", " -n --name -p --prefix --cwd "},
    Wrapper{"micromamba", "run",
            " -n --name -p --prefix --cwd -r --root-prefix -a --attach -e --env "},
    // Short options of nsys all have a value.
    Wrapper{"nsys", "profile",
            " -b -c -d -e -f -k -n -o -p -s -t -w -x -y --output --trace --sample --stats "
            "--force-overwrite --capture-range --capture-range-end --delay --duration --env-var "
            "--kill --wait --session-new --show-output --stop-on-exit --gpu-metrics-devices "
            "--cuda-memory-usage --cudabacktrace --python-backtrace --pytorch --cpuctxsw "},
    Wrapper{"ncu", "",
            " -o -k -c -s --export --set --section --metrics --kernel-name --launch-count "
            "--launch-skip --target-processes "},
};

bool is_valued(std::string_view option, std::string_view valued) {
  auto at = valued.find(option);
  return at != valued.npos && at > 0 && valued[at - 1] == ' ' && valued[at + option.size()] == ' ';
}

/// What is left behind options and their values.
Words behind_options(Words words, std::string_view valued) {
  while (!words.empty() && words[0].starts_with('-')) {
    if (words[0] == "--") return words.subspan(1);
    bool both = is_valued(words[0], valued) && words.size() > 1;
    words = words.subspan(both ? 2 : 1);
  }
  return words;
}

/// The command behind a wrapper; the words as they are where there is none.
Words unwrapped(Words words) {
  auto name = base_name(words[0]);
  for (const auto& wrapper : kWrappers) {
    if (wrapper.name != name) continue;
    auto rest = behind_options(words.subspan(1), wrapper.valued);
    if (!wrapper.verb.empty()) {
      if (rest.empty() || rest[0] != wrapper.verb) return words;
      rest = behind_options(rest.subspan(1), wrapper.valued);
    }
    return rest.subspan(std::min(wrapper.operands, rest.size()));
  }
  return words;
}

/// The words from what is started on.
Words command_in(Words words) {
  for (;;) {
    while (!words.empty() && is_prefix(words[0])) words = words.subspan(1);
    if (words.empty()) return words;
    auto inner = unwrapped(words);
    if (inner.size() == words.size()) return words;
    words = inner;
  }
}

TrainingLauncher launcher_of_module(std::string_view name) {
  if (name == "torch.distributed.run" || name == "torch.distributed.launch")
    return TrainingLauncher::Torchrun;
  if (name == "accelerate.commands.launch") return TrainingLauncher::Accelerate;
  if (name == "deepspeed.launcher.runner") return TrainingLauncher::DeepSpeed;
  return TrainingLauncher::None;
}

FoundLauncher found(TrainingLauncher launcher, Words words) {
  return {launcher, {words.begin(), words.end()}};
}

/// python [-u …] -m MODULE
FoundLauncher launcher_of_python(Words words) {
  auto rest = words.subspan(1);
  while (!rest.empty() && rest[0].starts_with('-') && rest[0] != "-m") {
    bool valued = rest[0] == "-X" || rest[0] == "-W";
    rest = rest.subspan(std::min<std::size_t>(valued ? 2 : 1, rest.size()));
  }
  if (rest.size() < 2 || rest[0] != "-m") return {};
  auto launcher = launcher_of_module(rest[1]);
  return launcher == TrainingLauncher::None ? FoundLauncher{} : found(launcher, rest.subspan(2));
}

}  // namespace

bool FoundLauncher::has_option(std::string_view option) const {
  for (auto word : words) {
    if (word == option) return true;
    if (word.ends_with(".py")) return false;
  }
  return false;
}

std::string_view FoundLauncher::value_of(std::string_view option) const {
  auto is_it = [&](std::string_view word) {
    return std::ranges::equal(word, option,
                              [](char a, char b) { return a == b || (a == '-' && b == '_'); });
  };
  std::string_view value;
  for (std::size_t i = 0; i < words.size() && !words[i].ends_with(".py"); ++i) {
    auto word = words[i];
    auto equals = std::min(word.find('='), word.size());
    if (!is_it(word.substr(0, equals))) continue;
    if (equals < word.size()) value = word.substr(equals + 1);
    else if (i + 1 < words.size()) value = words[i + 1];
  }
  return value;
}

FoundLauncher training_launcher_of(std::string_view command) {
  auto all = first_words(command);
  auto words = command_in(all);
  if (words.empty()) return {};
  auto name = base_name(words[0]);
  if (name == "torchrun") return found(TrainingLauncher::Torchrun, words.subspan(1));
  if (name == "deepspeed") return found(TrainingLauncher::DeepSpeed, words.subspan(1));
  if (name == "accelerate-launch") return found(TrainingLauncher::Accelerate, words.subspan(1));
  if (name == "accelerate" && words.size() > 1 && words[1] == "launch")
    return found(TrainingLauncher::Accelerate, words.subspan(2));
  return name.starts_with("python") ? launcher_of_python(words) : FoundLauncher{};
}

}  // namespace wm
