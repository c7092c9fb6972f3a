// Role: the perceptron of mlp.h on a GPU, in float64: the same weights at the start, the same
// formulas, sums in an order that depends on nothing but the samples. The Model of nccl_train.
// Images, weights and what comes between lie on the device; gradients come to the host, where the
// engine sums them.
#pragma once

#include <cmath>
#include <cstring>

#include "commands/gpu/check.cuh"
#include "test/examples/mlp.h"

namespace example {

using wm::gpu::DeviceArray;
using wm::gpu::must;

constexpr int kClasses = 10, kThreads = 32;  // threads of a sample's block, >= classes and hidden
static_assert(kHidden <= kThreads && kClasses <= kThreads);

/// What the kernels know of the net. Weights: hidden layer row by row, bias last; the output's.
struct Net {
  int pixels;
  __host__ __device__ int second() const { return (pixels + 1) * static_cast<int>(kHidden); }
  __host__ __device__ int size() const {
    return second() + (static_cast<int>(kHidden) + 1) * kClasses;
  }
};

/// Of a batch: per sample what the next kernels need. @shape [n · …] on the device
struct Between {
  double *hidden, *outer, *inner;  ///< activations; derivatives by outputs and by hidden sums
  double *loss, *right;
};

// One block a sample: forward, and the derivatives of its loss.
__global__ void forward(Net net, const double* weights, const double* images,
                        const unsigned char* labels, const std::uint64_t* samples, Between out) {
  constexpr int H = static_cast<int>(kHidden);
  __shared__ double hidden[H], shares[kClasses];
  int n = static_cast<int>(blockIdx.x), t = static_cast<int>(threadIdx.x);
  const double* x = images + samples[n] * net.pixels;
  int label = labels[samples[n]];
  if (t < H) {
    const double* row = weights + t * (net.pixels + 1);
    double sum = row[net.pixels];
    for (int i = 0; i < net.pixels; ++i) sum += row[i] * x[i];
    out.hidden[n * H + t] = hidden[t] = tanh(sum);
  }
  __syncthreads();
  const double* second = weights + net.second();
  if (t < kClasses) {
    shares[t] = second[t * (H + 1) + H];
    for (int i = 0; i < H; ++i) shares[t] += second[t * (H + 1) + i] * hidden[i];
  }
  __syncthreads();
  if (t == 0) {
    int best = 0;
    for (int c = 1; c < kClasses; ++c) best = shares[c] > shares[best] ? c : best;
    double top = shares[best], total = 0;
    for (int c = 0; c < kClasses; ++c) total += shares[c] = exp(shares[c] - top);
    for (int c = 0; c < kClasses; ++c) shares[c] /= total;
    out.loss[n] = -log(shares[label]);
    out.right[n] = best == label;
    shares[label] -= 1.0;
  }
  __syncthreads();
  if (t < kClasses) out.outer[n * kClasses + t] = shares[t];
  if (t < H) {
    double back = 0;
    for (int c = 0; c < kClasses; ++c) back += shares[c] * second[c * (H + 1) + t];
    out.inner[n * H + t] = back * (1.0 - hidden[t] * hidden[t]);
  }
}

// One thread a weight: its derivatives, added up in the order of the samples.
__global__ void backward(Net net, const double* images, const std::uint64_t* samples, int count,
                         Between in, double* gradient) {
  constexpr int H = static_cast<int>(kHidden);
  int w = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (w >= net.size()) return;
  bool first = w < net.second();
  int width = first ? net.pixels + 1 : H + 1;
  int row = (first ? w : w - net.second()) / width, i = (first ? w : w - net.second()) % width;
  double sum = 0;
  for (int n = 0; n < count; ++n) {
    double from = i == width - 1 ? 1.0
                  : first        ? images[samples[n] * net.pixels + i]
                                 : in.hidden[n * H + i];
    sum += from * (first ? in.inner[n * H + row] : in.outer[n * kClasses + row]);
  }
  gradient[w] = sum;
}

__global__ void update(int size, double* weights, double* momentum, const double* gradient) {
  int w = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (w >= size) return;
  momentum[w] = kMomentum * momentum[w] + gradient[w];
  weights[w] -= kRate * momentum[w];
}

/// Digits on the device.
struct DeviceDigits {
  explicit DeviceDigits(const Digits& digits)
      : images(digits.images.size()), labels(digits.labels.size()) {
    images.fill(digits.images);
    labels.fill(digits.labels);
  }
  DeviceArray<double> images;
  DeviceArray<unsigned char> labels;
};

/// @thread one at a time   @errors ends the process where the device fails
class CudaMlp final : public DigitsModel {
 public:
  CudaMlp(const Digits& train, const Digits& test)
      : net_{static_cast<int>(train.pixels)},
        train_(train),
        test_(test),
        host_(first_weights(train.pixels, kHidden)),
        weights_(host_.size()),
        momentum_(host_.size()),
        gradient_(host_.size()) {
    weights_.fill(host_);
    momentum_.fill(std::vector<double>(host_.size(), 0.0));
  }

  std::size_t parameters() const override { return host_.size(); }
  wm::groups::Score gradient(std::span<const std::uint64_t> samples,
                             std::span<const std::uint64_t>, std::span<double> gradient) override {
    auto score = run(train_, samples);
    backward<<<blocks(), 128>>>(net_, train_.images.get(), samples_->get(),
                                static_cast<int>(samples.size()), between(), gradient_.get());
    must(cudaGetLastError(), "the backward kernel");
    auto found = gradient_.read();
    for (std::size_t i = 0; i < found.size(); ++i) gradient[i] += found[i];
    return score;
  }
  void step(std::span<const double> mean_gradient) override {
    gradient_.fill({mean_gradient.begin(), mean_gradient.end()});
    update<<<blocks(), 128>>>(net_.size(), weights_.get(), momentum_.get(), gradient_.get());
    must(cudaGetLastError(), "the update kernel");
    host_ = weights_.read();
  }
  wm::groups::Score test(std::span<const std::uint64_t> samples) override {
    return run(test_, samples);
  }
  std::string state() const override {
    auto momentum = momentum_.read();
    std::string out(2 * weights_.bytes(), '\0');
    std::memcpy(out.data(), host_.data(), weights_.bytes());
    std::memcpy(out.data() + weights_.bytes(), momentum.data(), weights_.bytes());
    return out;
  }
  [[nodiscard]] bool take_over(const std::string& state) override {
    if (state.size() != 2 * weights_.bytes()) return false;
    std::vector<double> momentum(host_.size());
    std::memcpy(host_.data(), state.data(), weights_.bytes());
    std::memcpy(momentum.data(), state.data() + weights_.bytes(), weights_.bytes());
    weights_.fill(host_);
    momentum_.fill(momentum);
    return true;
  }
  const std::vector<double>& weights() const override { return host_; }

 private:
  unsigned blocks() const { return static_cast<unsigned>(net_.size() + 127) / 128; }
  Between between() const {
    double* at = between_->get();
    Between parts{};
    for (auto [part, width] : {std::pair{&parts.hidden, static_cast<int>(kHidden)},
                               {&parts.outer, kClasses},
                               {&parts.inner, static_cast<int>(kHidden)},
                               {&parts.loss, 1},
                               {&parts.right, 1}}) {
      *part = at;
      at += room_ * static_cast<std::size_t>(width);
    }
    return parts;
  }
  wm::groups::Score run(const DeviceDigits& digits, std::span<const std::uint64_t> samples) {
    if (samples.size() > room_) {
      room_ = samples.size();
      samples_ = std::make_unique<DeviceArray<std::uint64_t>>(room_);
      between_ = std::make_unique<DeviceArray<double>>(room_ * (2 * kHidden + kClasses + 2));
    }
    samples_->fill({samples.begin(), samples.end()});
    auto out = between();
    forward<<<static_cast<unsigned>(samples.size()), kThreads>>>(
        net_, weights_.get(), digits.images.get(), digits.labels.get(), samples_->get(), out);
    must(cudaGetLastError(), "the forward kernel");
    std::vector<double> loss(samples.size()), right(samples.size());
    must(cudaMemcpy(loss.data(), out.loss, loss.size() * sizeof(double), cudaMemcpyDeviceToHost),
         "copying from the device");
    must(cudaMemcpy(right.data(), out.right, right.size() * sizeof(double), cudaMemcpyDeviceToHost),
         "copying from the device");
    wm::groups::Score score;
    for (std::size_t i = 0; i < loss.size(); ++i) score.loss += loss[i], score.right += right[i];
    return score;
  }

  const Net net_;
  const DeviceDigits train_, test_;
  std::vector<double> host_;  // the weights
  DeviceArray<double> weights_, momentum_, gradient_;
  std::size_t room_ = 0;  // samples that the arrays below hold
  std::unique_ptr<DeviceArray<std::uint64_t>> samples_;
  std::unique_ptr<DeviceArray<double>> between_;
};

}  // namespace example
