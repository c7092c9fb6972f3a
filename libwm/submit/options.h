// Role: the LSF style of command lines, as values in and values out.
//
//   -q short     a value in the next word         -cwd /tmp    long names, one dash
//   -n4  -ofile  attached to a one-letter option  "-o a b"     also after a blank
//   -aJ name     flags may stand together         --           ends the options
//
// -h stands alone: -hostfile is no -h -o stfile.
//
// Not built on Boost.Program_options: its single-dash style guesses prefixes and does not
// know attached values beside long names, so that -n4 and -nnodes could not both work.
// Clients rely on every line above (lsf-surface 1).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::cmd {

/// One option of a command. `argument` empty: a flag.
struct Option {
  enum class Kind {
    Flag,
    Text,
    Number,   ///< attached values must start with a digit: -n4, but -nodes is unknown
    Ignored,  ///< takes a value; accepted with a warning, for clients that send it
    IgnoredFlag,
    Refused,  ///< one of LSF's that would change what the command does; `doc` says why it is not
              ///< there. Listed lest it be read as letters that stand together
  };
  std::string_view name;  ///< without the dash
  Kind kind = Kind::Flag;
  std::string_view argument;  ///< for the usage text, and what completes it: "queue"
  std::string_view doc;
  std::string_view group = {};  ///< begins a group of options, which is called so
};

/// Where words that are no options may stand.
enum class Words {
  Anywhere,
  Last,  ///< the first word ends the options: what follows belongs to the user's command
};

/// A command line taken apart.
struct Parsed {
  std::map<std::string, std::vector<std::string>, std::less<>> options;  ///< values as given
  std::vector<std::string> words;
  std::vector<std::string> ignored;  ///< options that were accepted and have no effect

  bool has(std::string_view name) const { return options.contains(name); }
  /// The first value, as LSF keeps the first of a repeated option. @cost O(log options)
  std::optional<std::string> first(std::string_view name) const;
  /// Every value in order. @cost O(values)
  std::vector<std::string> all(std::string_view name) const;
  /// The other's options after ours: ours win where only the first counts. @cost O(options)
  void append(const Parsed& other);
};

/// Takes a command line apart.
/// @errors BadArgument: an option that is not listed, or refused, named, or a value that is missing
/// @cost O(words · options)   @thread any
Result<Parsed> parse_options(std::span<const Option> options, std::span<const std::string> args,
                             Words words);

/// "usage: bsub …", then every option that has a doc, below the headings of groups; filled to 80
/// columns. @cost O(options)
std::string usage(std::string_view synopsis, std::span<const Option> options);

/// The table for programs, a line each, parted by tabs: "synopsis" and a line of it; "option",
/// "-q", what it is (flag, text, number, ignored, ignored-flag, refused), its argument, group and
/// doc.
/// @cost O(options)
std::string table_text(std::string_view synopsis, std::span<const Option> options);

}  // namespace wm::cmd
