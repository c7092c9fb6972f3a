#include "libwm/replay/training.h"

#include <algorithm>
#include <cmath>

#include "libwm/replay/lines.h"

namespace wm::replay {
namespace {

// Candidates of an automatic batch: so many steps in every doubling.
constexpr double kPerDoubling = 4;

class Training : public Work {
 public:
  Training(std::shared_ptr<const Application> app, double batch)
      : app_(std::move(app)), batch_(batch) {}
  double total() const override { return app_->ends.back(); }
  double after(double done, double seconds, const Shape& shape, Batch batch) const override;
  double left_s(double done, const Shape& shape, Batch batch) const override;
  Report report(double done, const Shape& shape, Batch batch) const override;
  BatchLimits limits() const override {
    return {app_->initial, batch_, app_->most, app_->steps.least_batch(), app_->steps.most_batch()};
  }

 private:
  std::size_t pass_at(double done) const;
  double step_s(const Division& division, const Shape& shape) const;
  Division choose(std::size_t pass, const Shape& shape, Batch batch) const;
  double speed(std::size_t pass, const Shape& shape, Batch batch) const;

  std::shared_ptr<const Application> app_;
  double batch_;
};

std::size_t Training::pass_at(double done) const {
  const auto& ends = app_->ends;
  auto it = std::upper_bound(ends.begin(), ends.end(), done);
  return std::min<std::size_t>(it - ends.begin(), ends.size() - 1);
}

double Training::step_s(const Division& division, const Shape& shape) const {
  StepTime time = app_->steps.at(shape, division.local);
  return time.step + (time.step - time.sync) * (division.rounds - 1);
}

Division Training::choose(std::size_t pass, const Shape& shape, Batch batch) const {
  std::uint32_t tasks = tasks_of(shape);
  if (batch == Batch::Fixed) return divide(batch_, tasks, *app_);
  Division best = divide(app_->initial, tasks, *app_);
  double best_speed = 0;
  double least = std::max(app_->initial, app_->steps.least_batch() * tasks);
  for (int i = 0;; ++i) {
    double size = std::min(app_->most, std::ceil(least * std::exp2(i / kPerDoubling)));
    Division division = divide(size, tasks, *app_);
    double speed = app_->gain(division.batch, pass) / step_s(division, shape);
    if (speed > best_speed) best = division, best_speed = speed;
    if (size >= app_->most) return best;
  }
}

double Training::speed(std::size_t pass, const Shape& shape, Batch batch) const {
  Division division = choose(pass, shape, batch);
  return app_->gain(division.batch, pass) / step_s(division, shape);
}

double Training::after(double done, double seconds, const Shape& shape, Batch batch) const {
  while (done < total() && seconds > 0) {
    std::size_t pass = pass_at(done);
    double rate = speed(pass, shape, batch), end = app_->ends[pass];
    double needed = (end - done) / rate;
    if (needed > seconds) return done + seconds * rate;
    done = end;
    seconds -= needed;
  }
  return std::min(done, total());
}

double Training::left_s(double done, const Shape& shape, Batch batch) const {
  double seconds = 0;
  for (std::size_t pass = pass_at(done); done < total(); ++pass) {
    seconds += (app_->ends[pass] - done) / speed(pass, shape, batch);
    done = app_->ends[pass];
  }
  return seconds;
}

Report Training::report(double done, const Shape& shape, Batch batch) const {
  std::size_t pass = pass_at(done);
  Division division = choose(pass, shape, batch);
  StepTime time = app_->steps.at(shape, division.local);
  Noise noise = app_->noise_at(division.batch, pass);
  return {static_cast<std::uint32_t>(shape.size()),
          tasks_of(shape),
          division.local * division.rounds,
          (time.step - time.sync) * division.rounds,
          time.sync,
          noise.sqr,
          noise.var};
}

const std::string* file_of(const std::map<std::string, std::string>& files, const std::string& stem,
                           const std::string& type) {
  auto it = files.find(stem + (type.empty() ? "" : "-" + type) + ".csv");
  return it == files.end() ? nullptr : &it->second;
}

// "validation-128.csv" → 128; 0 for another name.
double batch_in(const std::string& name) {
  constexpr std::string_view kStem = "validation-", kEnd = ".csv";
  if (!name.starts_with(kStem) || !name.ends_with(kEnd)) return 0;
  return std::atof(name.substr(kStem.size()).c_str());
}

struct Passes {
  std::vector<Noise> noise;
  std::vector<double> ends;
};

Result<Passes> parse_passes(const std::string& text) {
  WM_TRY(auto lines, table_lines(text, "progress,iteration,metric,grad_sqr,grad_var"));
  Passes passes;
  double last = 0;
  for (const Line& line : lines) {
    Noise noise;
    WM_TRY(double end, line.number_at(0, "progress", last, 1e15));
    WM_TRY(noise.sqr, line.number_at(3, "grad_sqr", 0, 1e30));
    WM_TRY(noise.var, line.number_at(4, "grad_var", 0, 1e30));
    if (end <= last) return bad_line(line.number, "field 1 (progress): does not rise");
    if (noise.sqr + noise.var <= 0) return bad_line(line.number, "field 4 (grad_sqr): no gradient");
    passes.noise.push_back(noise);
    passes.ends.push_back(last = end);
  }
  if (passes.ends.empty()) return bad_line(2, "no pass");
  return passes;
}

}  // namespace

Noise Application::noise_at(double batch, std::size_t pass) const {
  auto above = noise.lower_bound(batch);
  if (above == noise.end()) above = std::prev(above);
  auto below = above->first <= batch || above == noise.begin() ? above : std::prev(above);
  double span = above->first - below->first;
  double part = span > 0 ? std::clamp((batch - below->first) / span, 0.0, 1.0) : 0.0;
  const Noise &a = below->second[pass], &b = above->second[pass];
  return {a.sqr + (b.sqr - a.sqr) * part, a.var + (b.var - a.var) * part};
}

double Application::gain(double batch, std::size_t pass) const {
  Noise n = noise_at(batch, pass);
  double scale = batch / initial;
  return (n.var + n.sqr) / (n.var / scale + n.sqr);
}

Result<Application> parse_application(const std::map<std::string, std::string>& files,
                                      const std::string& type, std::uint32_t passes) {
  Application app;
  const std::string* placements = file_of(files, "placements", type);
  const std::string* scalability = file_of(files, "scalability", type);
  if (!placements || !scalability) {
    return fail(Code::NotFound, "no placements or scalability table" +
                                    (type.empty() ? "" : " of GPU type '" + type + "'"));
  }
  WM_TRY(app.steps, StepTable::parse(*placements, *scalability));
  std::size_t count = passes ? passes : ~std::size_t{0};
  for (const auto& [name, text] : files) {
    double batch = batch_in(name);
    if (batch <= 0) continue;
    auto parsed = parse_passes(text);
    if (!parsed) return parsed.error().within(name);
    count = std::min(count, parsed->ends.size());
    if (app.initial == 0 || batch < app.initial) app.initial = batch, app.ends = parsed->ends;
    app.most = std::max(app.most, batch);
    app.noise[batch] = std::move(parsed->noise);
  }
  if (app.noise.empty()) return fail(Code::NotFound, "no validation table");
  app.ends.resize(count);
  return app;
}

Division divide(double batch, std::uint32_t tasks, const Application& app) {
  Division division;
  double local = std::ceil(batch / tasks - 1e-8);
  division.rounds = std::max(1.0, std::ceil(local / app.steps.most_batch() - 1e-8));
  // The noise of a single task's gradient can only be seen over two rounds.
  if (tasks == 1 && batch > app.initial) division.rounds = std::max(2.0, division.rounds);
  division.local = std::ceil(local / division.rounds - 1e-8);
  double count = tasks * division.rounds;
  division.local = std::max(1.0, std::min(division.local, std::floor(app.most / count)));
  division.batch = division.local * count;
  return division;
}

std::shared_ptr<const Work> training_work(std::shared_ptr<const Application> app, double batch) {
  return std::make_shared<Training>(std::move(app), batch);
}

}  // namespace wm::replay
