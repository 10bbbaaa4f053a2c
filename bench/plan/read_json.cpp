#include "bench/plan/read_json.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <vector>

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// Reads a text without making values of it; ends where one is refused. Its functions are those that
// nlohmann-json calls.
class Look : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return one_more(); }
  bool boolean(bool /*value*/) override { return one_more(); }
  bool number_integer(number_integer_t /*value*/) override { return one_more(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return one_more(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return one_more();
  }
  bool string(string_t& /*value*/) override { return one_more(); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*elements*/) override {
    members_.emplace_back();
    return one_more() && ++levels_ <= most_json_levels;
  }
  bool key(string_t& name) override {
    return members_.back().size() < most_json_members && members_.back().insert(name).second;
  }
  bool end_object() override {
    members_.pop_back();
    --levels_;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    return one_more() && ++levels_ <= most_json_levels;
  }
  bool end_array() override {
    --levels_;
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*last*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  bool one_more() { return ++values_ <= most_json_values; }

  std::vector<std::set<std::string>> members_;  // of the objects that are open, outermost first
  int levels_ = 0, values_ = 0;
};

}  // namespace

std::optional<Json> read_json(const std::string& text) {
  Look look;
  if (!Json::sax_parse(text, &look)) return std::nullopt;
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

std::optional<Json> read_json_file(const std::string& path) {
  // A pipe would be waited for, and a device has no end.
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return read_json({std::istreambuf_iterator<char>(in), {}});
}

}  // namespace spex::bench
