// Role: a command given as words becomes the one line that a shell runs, each word still one
// argument.
//   rm "keep b.txt"         →  rm 'keep b.txt'
//   bash -c 'V=7; echo $V'  →  bash -c 'V=7; echo $V'
//   cmd a '>' out           →  cmd a > out
#pragma once

#include <span>
#include <string>

namespace wm::cmd {

/// Who reads a word that begins with '$': the program, as it is, for the submitter's shell has made
/// what it should of it; or, in a file that no shell has read, the job's shell.
enum class Names { AsTheyAre, OfTheJob };

/// The shell line of a command of one or more words, by LSF's rule (LSF 10.1, bsub; OpenLava 3.0,
/// which shows it). A single word is a line of the shell as it is. Of several the first is taken as
/// it is; a later one that is empty, holds a blank, tab or newline, or begins with '$' (Names)
/// stands in single quotes and arrives byte for byte; in any other, quotes, backslashes and
/// parentheses are escaped, and operators (; | & < > *) and names ($NAME) within it stay the
/// shell's.
/// @cost O(length)   @thread any
std::string command_line_of(std::span<const std::string> words, Names names = Names::AsTheyAre);

}  // namespace wm::cmd
