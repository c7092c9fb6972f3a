// Role: values of #SBATCH options as bsub's: times, sizes, dates, lists of nodes, dependencies,
// arrays. Pure; each says what is wrong with a value, without the option's name.
// @source Slurm: sbatch(1)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::cmd {

/// A whole number from 1 on; "k" behind it is a thousand. @errors BadArgument
Result<std::uint32_t> sbatch_count(std::string_view text);
/// minutes, minutes:seconds, h:m:s, days-h[:m[:s]] in minutes, seconds rounded up; 0: no limit.
/// @errors BadArgument
Result<std::int64_t> sbatch_minutes(std::string_view text);
/// A size of memory in megabytes, where no unit is written and where K are less, rounded up.
/// @errors BadArgument
Result<std::int64_t> sbatch_megabytes(std::string_view text);
/// 16:00[:30], 2026-12-01[T16:00[:30]] as bsub's -b. @errors BadArgument: other forms
Result<std::string> sbatch_date(std::string_view text);
/// afterok:12:13,afterany:14 as bsub's -w; ',' means and, '?' or; 12_3 is element 3.
/// @errors BadArgument: a kind that is not known
Result<std::string> sbatch_dependency(std::string_view text);
/// "gpu&ssd" as an expression of select[]. @errors BadArgument: counts and brackets
Result<std::string> sbatch_constraint(std::string_view text);
/// Words of -notify that --mail-type means: "start done exit". @errors BadArgument
Result<std::string> sbatch_mail_types(std::string_view text);
/// Is there an index 0 in an array: WM's are from 1 on. @cost O(length)
bool sbatch_counts_from_zero(std::string_view array);
/// "0-9:2%4" with every index one higher: "1-10:2%4". @errors BadArgument: no list of indices
Result<std::string> sbatch_array_from_one(std::string_view array);
/// The parts of a list with blanks, commas of brackets apart. @cost O(length)
std::vector<std::string> sbatch_list(std::string_view text, char by = ',');

}  // namespace wm::cmd
