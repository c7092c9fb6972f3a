#include "commands/common/search_plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace wm::cmd {
namespace {

// In gnuplot's double quotes; what a terminal would obey is left out.
std::string plot_quoted(const std::string& text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c < 0x20 || c == 0x7f) continue;
    if (c == '"' || c == '\\' || c == '`') out += '\\';
    out += static_cast<char>(c);
  }
  return out + "\"";
}

std::string terminal(const std::string& file, unsigned columns, unsigned rows) {
  if (file.empty())
    return "set terminal dumb " + std::to_string(columns) + " " + std::to_string(rows) + "\n";
  auto kind =
      file.ends_with(".svg") ? "svg size 1000,600 background \"white\"" : "pngcairo size 1000,600";
  return std::string("set terminal ") + kind + "\nset output " + plot_quoted(file) + "\n";
}

std::string row(std::size_t index, double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%zu %.9g\n", index, value);
  return text;
}

}  // namespace

std::string plot_script(const SearchPicture& picture, const std::string& file, unsigned columns,
                        unsigned rows) {
  std::string trials, best;
  double reached = NAN;
  for (std::size_t i = 0; i < picture.values.size(); ++i) {
    double value = picture.values[i];
    if (!std::isfinite(value)) continue;
    trials += row(i + 1, value);
    if (std::isnan(reached)) reached = value;
    reached = picture.least ? std::min(reached, value) : std::max(reached, value);
    best += row(i + 1, reached);
  }
  return terminal(file, columns, rows) + "set title " + plot_quoted(picture.title) +
         " noenhanced\nset xlabel \"trial\"\nset ylabel " + plot_quoted(picture.metric) +
         " noenhanced\nset key top " + (picture.least ? "right" : "left") +
         "\nset grid\n$trials << EOD\n" + trials + "EOD\n$best << EOD\n" + best +
         "EOD\nplot $trials using 1:2 with points title \"trials\", "
         "$best using 1:2 with steps linewidth 2 title \"best so far\"\n";
}

}  // namespace wm::cmd
