#include "fdbjobs/keyspace/tuple_format.h"

#include "absl/strings/str_cat.h"

namespace fdbjobs::tuple::format {
namespace {

// Codes that FoundationDB's specification names and no element of ours begins with.
const char* NameOfForeignCode(uint8_t code) {
  switch (code) {
    case 0x03:
    case 0x04:
      return "old nested tuple, deprecated";
    case 0x0a:
    case 0x1e:
      return "larger integer, reserved";
    case 0x22:
      return "long double, reserved";
    case 0x23:
    case 0x24:
      return "decimal, reserved";
    case 0x25:
      return "old true, deprecated";
    case 0x31:
      return "64-bit identifier, reserved";
    case 0x32:
      return "80-bit versionstamp, reserved";
    case kEscape:
      return "escape";
    default:
      return code >= 0x40 && code <= 0x4f ? "user type" : "no type code";
  }
}

}  // namespace

std::optional<Kind> KindOfCode(uint8_t code) {
  if (code >= kNegativeBig && code <= kPositiveBig) return Kind::kInteger;
  switch (code) {
    case kNull:
      return Kind::kNull;
    case kBytes:
      return Kind::kBytes;
    case kString:
      return Kind::kString;
    case kTuple:
      return Kind::kTuple;
    case kFloat:
      return Kind::kFloat;
    case kDouble:
      return Kind::kDouble;
    case kFalse:
    case kTrue:
      return Kind::kBool;
    case kUuid:
      return Kind::kUuid;
    case kVersionstamp:
      return Kind::kVersionstamp;
    default:
      return std::nullopt;
  }
}

std::string DescribeCode(uint8_t code) {
  const std::optional<Kind> kind = KindOfCode(code);
  return absl::StrCat("0x", absl::Hex(code, absl::kZeroPad2), " (", kind ? KindName(*kind) : NameOfForeignCode(code),
                      ")");
}

}  // namespace fdbjobs::tuple::format
