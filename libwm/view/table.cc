#include "libwm/view/table.h"

#include <algorithm>
#include <cstdlib>

#include "libwm/view/format.h"

namespace wm::view {
namespace {

std::string cell_of(const std::string& text, int width, TooWide too_wide) {
  bool keep = too_wide == TooWide::Keep && columns_of(text) > std::size_t(std::abs(width));
  return keep ? printable(text) : fit(text, std::abs(width), width < 0);
}

}  // namespace

std::string line_of(std::span<const std::string> cells, std::span<const int> widths,
                    TooWide too_wide, std::string_view gap) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += gap;
    bool bare = i >= widths.size() || (i + 1 == cells.size() && widths[i] >= 0);
    line += bare ? printable(cells[i]) : cell_of(cells[i], widths[i], too_wide);
  }
  return line;
}

std::vector<int> widths_of(std::span<const Cells> rows) {
  std::vector<int> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], static_cast<int>(columns_of(row[i])));
  }
  return widths;
}

namespace {

std::vector<std::string> lines_with(std::span<const Cells> rows, std::span<const int> widths,
                                    std::string_view gap) {
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    auto line = line_of(row, widths, TooWide::Keep, gap);
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

}  // namespace

std::vector<std::string> lines_of(std::span<const Cells> rows, bool right, std::string_view gap) {
  auto widths = widths_of(rows);
  for (std::size_t i = 1; right && i < widths.size(); ++i) widths[i] = -widths[i];
  return lines_with(rows, widths, gap);
}

std::string aligned(std::span<const Cells> rows, int widest) {
  std::string text;
  auto widths = widths_of(rows);
  for (auto& width : widths) width = std::min(width, widest);
  for (const auto& line : lines_with(rows, widths, " ")) text += line + "\n";
  return text;
}

}  // namespace wm::view
