// Json: a value to be printed. Objects keep the order in which their members were added.
//
// Thread safety: as a plain value. Lifetime: owns its members.
//
//   Json report = Json::Object();
//   report["commits_per_second"] = 1234.5;
//   std::puts(report.ToString().c_str());
#ifndef FDBJOBS_TOOLS_COMMON_JSON_H_
#define FDBJOBS_TOOLS_COMMON_JSON_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fdbjobs::tools {

class Json {
 public:
  Json() = default;  // null
  Json(bool value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  template <std::integral T>
  Json(T value) : value_(static_cast<int64_t>(value)) {}

  static Json Object();
  static Json Array();
  // `text` is JSON already, and is printed as it is.
  static Json Raw(std::string text);

  // The member of an object, added when it is missing.
  Json& operator[](std::string_view name);
  // Appends to an array.
  void Add(Json value);

  // Indented by two spaces a level. Numbers that are not finite become null.
  std::string ToString() const;
  // On one line, without spaces. Raw JSON keeps its own.
  std::string ToLine() const;

 private:
  struct RawText {
    std::string text;
  };
  using Members = std::vector<std::pair<std::string, Json>>;
  using Elements = std::vector<Json>;

  // `indent` is negative on one line.
  void Print(int indent, std::string* out) const;

  std::variant<std::nullptr_t, bool, int64_t, double, std::string, Members, Elements, RawText> value_ = nullptr;
};

}  // namespace fdbjobs::tools

#endif  // FDBJOBS_TOOLS_COMMON_JSON_H_
