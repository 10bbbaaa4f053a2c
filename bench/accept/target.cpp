#include "bench/accept/target.hpp"

#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "bench/result/derive.hpp"
#include "bench/result/result_file.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* expected = "a time such as 15min or 900s, or FPNH such as 20000";

Target fpnh_target(double fpnh, const std::string& from) {
  Target target;
  target.threshold.fpnh_effective = fpnh;
  target.text =
      fmt::format("{:.0f} frames per node-hour{}, from launch to exit; {:g}% less is allowed", fpnh,
                  from, 100 * target.threshold.margin);
  return target;
}

// The effective FPNH of a result file; nothing where the result has none.
std::optional<double> fpnh_of(const std::string& path) {
  const Derived derived = derive(read_record(path));
  if (!derived.fom.effective || !derived.fom.effective->fpnh) return std::nullopt;
  return derived.fom.effective->fpnh->median;
}

bool is_result(const fs::path& path) {
  const std::string name = path.filename();
  return name.ends_with(".json") && !name.ends_with(".events.json") &&
         !name.ends_with(".series.json");
}

}  // namespace

Target parse_target(const std::string& text) {
  const std::map<std::string, double> units{{"s", 1}, {"min", 60}, {"h", 3600}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size() - end);
  const bool is_time = units.contains(unit);
  if (error != std::errc() || !(number > 0) || !(is_time || unit.empty() || unit == "FPNH"))
    throw usage_error("--target", text, expected);
  if (!is_time) return fpnh_target(number, "");
  Target target;
  target.threshold.seconds_effective = number * units.at(unit);
  target.text = fmt::format("an exposure of 30 frames within {:g} s, from launch to exit",
                            *target.threshold.seconds_effective);
  return target;
}

Target target_of_result(const std::string& path) {
  std::vector<fs::path> files;
  if (fs::is_directory(path)) {
    for (const fs::directory_entry& file : fs::directory_iterator(path))
      if (is_result(file.path())) files.push_back(file.path());
  } else if (fs::exists(path)) {
    files.emplace_back(path);
  }
  std::optional<Target> target;
  for (const fs::path& file : files) {
    const std::optional<double> fpnh = fpnh_of(file);
    if (!fpnh) continue;
    if (target) throw usage_error("--against", path + " has several results", "one result file");
    target = fpnh_target(*fpnh, " as in " + file.string());
  }
  if (!target)
    throw usage_error("--against", path + " has no result with FPNH", "a result of spex-bench");
  return *target;
}

}  // namespace spex::bench
