#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/model/milestones.hpp"
#include "reference/model/option_table.hpp"

namespace spex {
namespace {

// Without a milestone the device's default, or the last one whose method is asked for.
Milestone choose_milestone(const OptionRequest& request, Device device) {
  if (!request.milestone) {
    const Milestone usual = default_milestone(device);
    const Method method = request.method.value_or(traits(usual).method);
    if (traits(usual).method == method) return usual;
    const auto last = std::ranges::find_if(
        milestones.rbegin(), milestones.rend(),
        [&](const MilestoneTraits& one) { return one.device == device && one.method == method; });
    return last->milestone;
  }
  const MilestoneTraits& one = traits(*request.milestone);
  if (one.device != device)
    throw usage_error("--milestone", std::string(one.name) + " is of the other device",
                      "a milestone of this program");
  if (request.method && !supports(one.milestone, *request.method))
    throw usage_error("--method",
                      to_string(*request.method) + " is not the method of " + std::string(one.name),
                      to_string(one.method));
  return one.milestone;
}

// On the GPU, --flux frame needs the bands of the fiber-by-fiber engine; the other milestones are
// kept as published.
void check_flux(const FrameOptions& o) {
  if (o.flux == FluxSolver::patch) return;
  const MilestoneTraits& milestone = traits(o.milestone);
  if (!milestone.solves_frame)
    throw usage_error("--flux", "frame is not supported by " + to_string(o.milestone),
                      "--milestone direct or pipeline, or --flux patch");
  if (milestone.device == Device::gpu && o.decorrelate == Decorrelate::noise)
    throw usage_error("--flux", "frame needs --decorrelate signal on the GPU",
                      "--decorrelate signal, or a CPU");
}

// On the GPU, --reject-pixels needs the same bands.
void check_reject_pixels(const ExtractOptions& o) {
  const MilestoneTraits& milestone = traits(o.milestone);
  if (!o.reject_pixels || milestone.device == Device::cpu) return;
  if (!milestone.solves_frame)
    throw usage_error("--reject-pixels", "is not supported by " + to_string(o.milestone),
                      "--milestone direct or pipeline, or spex-cpu");
  if (o.decorrelate == Decorrelate::noise)
    throw usage_error("--reject-pixels", "needs --decorrelate signal on the GPU",
                      "--decorrelate signal, or a CPU");
}

template <class T>
void check_range(const ExtractOption& option, const T* place) {
  if constexpr (std::is_same_v<T, std::optional<int>> || std::is_same_v<T, std::optional<double>>) {
    if (*place) check_range(option, &**place);
  } else if constexpr (std::is_same_v<T, int> || std::is_same_v<T, double>) {
    const auto value = static_cast<double>(*place);
    if (value >= option.min && value <= option.max) return;
    constexpr double many = 1e9;  // such limits say nothing to a user
    throw usage_error(option.flag(), fmt::format("{}", *place),
                      option.max > many ? fmt::format("at least {}", option.min)
                                        : fmt::format("{} to {}", option.min, option.max));
  }
}

}  // namespace

int effective_wavepad(int wavepad, double wavepad_frac) {
  return wavepad + static_cast<int>(wavepad * wavepad_frac);
}

void check_options(const FrameOptions& o) {
  OptionRequest request = request_of(o);
  for (const ExtractOption& option : extract_options())
    std::visit([&](const auto* place) { check_range(option, place); }, option.value(request));
  if (o.bundlesize % o.nsubbundles != 0)
    throw usage_error(
        "--nsubbundles",
        fmt::format("{} does not divide the bundle size {}", o.nsubbundles, o.bundlesize),
        "a divisor of --bundlesize");
  // Elements of R that are farther from the diagonal are not in the patch.
  const int padding = effective_wavepad(o.wavepad, o.wavepad_frac);
  if (o.ndiag && *o.ndiag > padding)
    throw usage_error("--ndiag",
                      fmt::format("{} is more than the {} bins of padding", *o.ndiag, padding),
                      "at most --wavepad, widened by --wavepad-frac");
}

void check_options(const ExtractOptions& options) {
  FrameOptions all;
  static_cast<ExtractOptions&>(all) = options;
  check_options(all);
}

FrameOptions resolve(const OptionRequest& request, Device device) {
  FrameOptions o = request.options;
  o.milestone = choose_milestone(request, device);
  const MilestoneTraits& milestone = traits(o.milestone);
  o.method = request.method.value_or(milestone.method);
  o.nsubbundles = request.nsubbundles.value_or(milestone.nsubbundles);
  check_flux(o);
  check_reject_pixels(o);
  check_options(o);
  return o;
}

std::vector<std::pair<std::string, std::string>> changed_options(const FrameOptions& options) {
  OptionRequest request;
  request.milestone = options.milestone;
  const FrameOptions defaults = resolve(request, traits(options.milestone).device);
  std::vector<std::pair<std::string, std::string>> changed;
  for (const ExtractOption& option : extract_options())
    if (std::string text = text_of(option, options); text != text_of(option, defaults))
      changed.emplace_back(option.name, std::move(text));
  return changed;
}

}  // namespace spex
