// The table of extraction options. The command line, the Python package, the frame's header, plans
// and results are made from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reference/model/options.hpp"

namespace spex {

/// What a user asks for. Options whose defaults depend on others are absent; `resolve` sets them.
struct OptionRequest {
  FrameOptions options;                ///< all others
  std::optional<int> nsubbundles;      ///< absent: the milestone's
  std::optional<Method> method;        ///< absent: the milestone's
  std::optional<Milestone> milestone;  ///< absent: the device's fastest with the method
};

/// A request that names every option of `options` whose default depends on others.
[[nodiscard]] OptionRequest request_of(const FrameOptions& options);

/// The place of an option's value.
using OptionValue =
    std::variant<int*, double*, std::uint32_t*, std::optional<int>*, std::optional<double>*,
                 std::optional<WaveRange>*, std::optional<XyRange>*, Decorrelate*, FluxSolver*,
                 Chi2Pixels*, Bad2dFit*, PsfTails*, std::optional<Method>*,
                 std::optional<Milestone>*>;

/// When a frame's header states an option.
enum class Stated { never, always, if_changed };

/// One option of an extraction.
struct ExtractOption {
  std::string_view name;                 ///< in Python; on the command line with dashes
  std::string_view letter;               ///< the short option; may be empty
  std::string_view group;                ///< in --help
  std::string_view help;                 ///< one sentence without a full stop
  OptionValue (*value)(OptionRequest&);  ///< where a request has the value
  double min = 0;                        ///< smallest number
  double max = 0;                        ///< largest number
  Stated stated = Stated::never;         ///< in the header
  std::string_view keyword = {};         ///< in the header
  std::string_view comment = {};         ///< of the keyword

  /// The long option: `--` and the name.
  [[nodiscard]] std::string flag() const;
};

/// All options, in the order of the header.
[[nodiscard]] std::span<const ExtractOption> extract_options();

/// The option with this name or long option; nullptr if there is none.
[[nodiscard]] const ExtractOption* find_option(std::string_view name);

/// The names that the option may have on the device; empty for options with other values.
[[nodiscard]] std::vector<std::string> choices_of(const ExtractOption& option, Device device);

/// Sets an option to the value of `text`, without a check of ranges. Throws Error(usage).
void set_option(OptionRequest& request, const ExtractOption& option, const std::string& text,
                Device device);

/// The value as set_option takes it; empty if absent.
[[nodiscard]] std::string text_of(const ExtractOption& option, const FrameOptions& options);

/// Names and values of the options that differ from the defaults of the milestone, without the
/// milestone itself: empty with production's settings.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> changed_options(
    const FrameOptions& options);

/// The options of an extraction on the device. Throws Error(usage) if a value is outside of its
/// range, or if options do not fit together.
[[nodiscard]] FrameOptions resolve(const OptionRequest& request, Device device);

/// Throws Error(usage) if a value is outside of its range, or if the subbundles do not divide a
/// bundle.
void check_options(const FrameOptions& options);
/// The same for the options of patches alone.
void check_options(const ExtractOptions& options);

/// Parses `wmin,wmax,dw` in Angstrom. Throws Error(usage) for any other text.
[[nodiscard]] WaveRange parse_wavelength(const std::string& text);

/// Parses `xmin,xmax,ymin,ymax`: integers from 0 on, xmin < xmax, ymin < ymax. Throws Error(usage)
/// for any other text.
[[nodiscard]] XyRange parse_xyrange(const std::string& text);

/// Parses a decimal number, a hexadecimal number with 0x, or "all" for all bits. Throws
/// Error(usage).
[[nodiscard]] std::uint32_t parse_mask_bits(const std::string& text);

}  // namespace spex
