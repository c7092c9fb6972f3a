// Role: tables of text: columns stand below each other by their characters, not by bytes. Pure;
// what users name things may hold any, so cells are made printable.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wm::view {

/// The cells of one line.
using Cells = std::vector<std::string>;

/// What is done with a cell that is wider than its column.
enum class TooWide { Cut, Keep };

/// One line without its end. Cells are `gap` apart; one behind the widths, and the last, is as long
/// as it is. @units widths: characters; below 0: to the right   @cost O(text)
std::string line_of(std::span<const std::string> cells, std::span<const int> widths,
                    TooWide too_wide = TooWide::Cut, std::string_view gap = " ");

/// The width of each column's widest cell. @cost O(text)
std::vector<int> widths_of(std::span<const Cells> rows);

/// The lines of a table: each column as wide as its widest cell, no blanks at the ends of lines.
/// `right`: all columns but the first to the right. @cost O(text)
std::vector<std::string> lines_of(std::span<const Cells> rows, bool right, std::string_view gap);

/// The same as one text, columns to the left and a blank apart. A cell that is wider than `widest`
/// moves its own line alone. @units widest: characters   @cost O(text)
std::string aligned(std::span<const Cells> rows, int widest = 1 << 30);

}  // namespace wm::view
