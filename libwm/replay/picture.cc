// Pictures of an outcome: step curves over time as SVG.
#include <algorithm>
#include <cstdio>

#include "libwm/replay/report.h"

namespace wm::replay {
namespace {

constexpr int kWidth = 800, kHeight = 260, kLeft = 60, kBottom = 40, kTop = 30;
constexpr const char* kColours[] = {"#1b6ca8", "#e08e0b", "#a83279",
                                    "#2e8b57", "#7a5195", "#888888"};

// One curve: a name and (time, value) steps.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> steps;
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

class Picture {
 public:
  Picture(std::string title, double last, double most)
      : last_(last > 0 ? last : 1), most_(most > 0 ? most : 1) {
    svg_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + std::to_string(kWidth) +
           " " + std::to_string(kHeight) + "\" font-family=\"sans-serif\" font-size=\"12\">\n" +
           "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    text(kLeft, 18, title);
    text(kLeft - 50, kTop + 4, number(most_));
    text(kLeft - 50, kHeight - kBottom, "0");
    text(kWidth - 90, kHeight - 12, number(last_ / 3600) + " h");
    svg_ += "<path fill=\"none\" stroke=\"black\" d=\"M" + std::to_string(kLeft) + " " +
            std::to_string(kTop) + "V" + std::to_string(kHeight - kBottom) + "H" +
            std::to_string(kWidth - 10) + "\"/>\n";
  }

  void add(const Curve& curve, std::size_t position) {
    const char* colour = kColours[position % std::size(kColours)];
    std::string path;
    for (auto [at, value] : curve.steps) {
      path += (path.empty() ? "M" : "H") + number(x(at));
      path += (path.size() < 16 && path.find('V') == path.npos ? " " : "V") + number(y(value));
    }
    svg_ += std::string("<path fill=\"none\" stroke=\"") + colour + "\" d=\"" + path + "\"/>\n";
    svg_ += std::string("<g fill=\"") + colour + "\">";
    text(kWidth - 150, kTop + 14 * static_cast<int>(position), curve.name);
    svg_ += "</g>\n";
  }

  std::string finish() { return svg_ + "</svg>\n"; }

 private:
  double x(double at) const { return kLeft + at / last_ * (kWidth - 10 - kLeft); }
  double y(double value) const {
    return kHeight - kBottom - value / most_ * (kHeight - kBottom - kTop);
  }
  void text(int at_x, int at_y, const std::string& what) {
    std::string safe;
    for (char c : what) safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    svg_ += "<text x=\"" + std::to_string(at_x) + "\" y=\"" + std::to_string(at_y) + "\">" + safe +
            "</text>\n";
  }

  double last_, most_;
  std::string svg_;
};

std::string drawn(const std::string& title, const std::vector<Curve>& curves, double most) {
  double last = 0;
  for (const Curve& curve : curves) {
    for (auto [at, value] : curve.steps) last = std::max(last, at), most = std::max(most, value);
  }
  Picture picture(title, last, most);
  for (std::size_t i = 0; i < curves.size(); ++i) picture.add(curves[i], i);
  return picture.finish();
}

}  // namespace

std::map<std::string, std::string> to_pictures(const Outcome& outcome, const Setup& setup) {
  Curve busy{"in use", {}}, running{"running", {}}, queued{"waiting", {}};
  std::map<std::string, Curve> shares;
  for (const Sample& sample : outcome.samples) {
    busy.steps.push_back({sample.at_s, static_cast<double>(sample.busy)});
    running.steps.push_back({sample.at_s, static_cast<double>(sample.running)});
    queued.steps.push_back({sample.at_s, static_cast<double>(sample.queued)});
    for (const auto& [user, units] : sample.by_user) {
      shares[user].name = user;
      shares[user].steps.push_back({sample.at_s, static_cast<double>(units)});
    }
  }
  std::vector<Curve> by_user;
  for (auto& [user, curve] : shares) by_user.push_back(std::move(curve));
  std::string units = setup.gpus_per_host ? "GPUs" : "CPUs";
  return {{"utilisation.svg", drawn(units + " in use", {busy}, setup.units())},
          {"queue.svg", drawn("jobs", {running, queued}, 0)},
          {"plans.svg", drawn(units + " by plan", by_user, setup.units())}};
}

}  // namespace wm::replay
