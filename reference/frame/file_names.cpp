#include "reference/frame/file_names.hpp"

#include <algorithm>

#include "reference/model/camera.hpp"

namespace spex {
namespace {

constexpr std::size_t camera_letters = 2;
constexpr std::size_t expid_digits = 8;

}  // namespace

bool is_expid(std::string_view text) {
  return text.size() == expid_digits &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<FileName> parse_file_name(std::string_view kind, std::string_view name) {
  const std::size_t camera = kind.size() + 1;
  const std::size_t expid = camera + camera_letters + 1;
  if (!name.starts_with(kind) || name.size() < expid + expid_digits || name[camera - 1] != '-' ||
      name[expid - 1] != '-')
    return std::nullopt;
  FileName parts{std::string(name.substr(camera, camera_letters)),
                 std::string(name.substr(expid, expid_digits)),
                 std::string(name.substr(expid + expid_digits))};
  if (!parse_camera(parts.camera) || !is_expid(parts.expid)) return std::nullopt;
  return parts;
}

}  // namespace spex
