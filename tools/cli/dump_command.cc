// dump: every key of the keyspace decoded, or one row in hex.
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/admin/rows.h"
#include "fdbjobs/keyspace/tuple_parse.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/signals.h"
#include "tools/cli/text.h"

namespace fdbjobs::cli {
namespace {

struct Arguments {
  std::string key;
  std::string type;
};

Json RowJson(const Context& context, const keyspace::Row& row, bool hex) {
  Json json = Json::Object();
  json["key"] = row.KeyText(context.jobs().keys());
  json["value"] = row.ValueText();
  if (hex) {
    json["key_hex"] = absl::BytesToHexString(row.key);
    json["value_hex"] = absl::BytesToHexString(row.value);
  }
  if (!row.damage.empty()) json["damage"] = Visible(row.damage);
  return json;
}

std::string HexLines(const char* name, const std::string& bytes) {
  constexpr size_t kPerLine = 16;
  std::string out = absl::StrCat(name, ", ", bytes.size(), " bytes\n");
  for (size_t at = 0; at < bytes.size(); at += kPerLine) {
    const std::string part = bytes.substr(at, kPerLine);
    std::string hex, text;
    for (const char c : part) {
      absl::StrAppend(&hex, " ", absl::Hex(static_cast<uint8_t>(c), absl::kZeroPad2));
      text.push_back(c >= 0x20 && c < 0x7f ? c : '.');
    }
    hex.resize(3 * kPerLine, ' ');
    absl::StrAppend(&out, "  ", absl::Hex(at, absl::kZeroPad4), " ", hex, "  ", text, "\n");
  }
  return out;
}

// The key as it was given: a tuple, or 0x and hex digits of all its bytes.
absl::StatusOr<std::string> KeyBytes(const Context& context, const std::string& text) {
  if (text.starts_with("0x")) {
    const std::string digits = text.substr(2);
    const bool hex = digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    if (hex && digits.size() % 2 == 0) return absl::HexStringToBytes(digits);
    return absl::InvalidArgumentError(absl::StrCat("key ", text, ": not an even number of hexadecimal digits"));
  }
  const absl::StatusOr<tuple::Tuple> tuple = tuple::ParseTuple(text);
  if (!tuple.ok()) return absl::InvalidArgumentError(absl::StrCat("key: ", tuple.status().message()));
  const absl::StatusOr<std::string> packed = tuple->Pack(tuple::Utf8::kKeep);
  if (!packed.ok()) return absl::InvalidArgumentError(absl::StrCat("key: ", packed.status().message()));
  return context.jobs().keys().prefix() + *packed;
}

absl::StatusOr<int> DumpOne(Context& context, const std::string& text) {
  const absl::StatusOr<std::string> key = KeyBytes(context, text);
  if (!key.ok()) return key.status();
  const absl::StatusOr<std::optional<std::string>> value =
      context.Transact([&](fdb::Transaction& tr) { return tr.Get(*key, fdb::Isolation::kSnapshot).Await(); });
  if (!value.ok()) return value.status();
  if (!value->has_value()) {
    return absl::NotFoundError(absl::StrCat("no row at ", context.jobs().keys().Describe(*key)));
  }
  const keyspace::Row row = keyspace::ReadRow(context.jobs().keys(), *key, **value);
  if (context.json()) {
    context.Print(RowJson(context, row, /*hex=*/true));
    return kExitOk;
  }
  context.Print(absl::StrCat(row.KeyText(context.jobs().keys()), " = ", row.ValueText(), "\n"));
  if (!row.damage.empty()) context.Print(absl::StrCat("damaged: ", Visible(row.damage), "\n"));
  context.Print(HexLines("key", row.key));
  context.Print(HexLines("value", row.value));
  return kExitOk;
}

absl::StatusOr<int> DumpAll(Context& context, const std::string& type_text) {
  std::optional<JobType> type;
  if (!type_text.empty()) {
    const absl::StatusOr<JobType> parsed = ParseValue("type", type_text);
    if (!parsed.ok()) return parsed.status();
    type = *parsed;
  }
  CatchSignals();
  const keyspace::JobKeys& keys = context.jobs().keys();
  const absl::Status status =
      admin::ForEachRow(context.db(), keys, keys.All(), context.transact(), [&](const keyspace::Row& row) {
        if (Interrupted() != 0) return false;
        if (type.has_value() && row.type != type) return true;
        if (context.json()) {
          context.Print(RowJson(context, row, /*hex=*/!row.damage.empty()).ToLine() + "\n");
        } else {
          context.Print(absl::StrCat(row.KeyText(keys), " = ", row.ValueText(),
                                     row.damage.empty() ? "" : "  damaged: " + Visible(row.damage), "\n"));
        }
        return true;
      });
  if (!status.ok()) return status;
  return Interrupted() != 0 ? InterruptedExitCode() : kExitOk;
}

}  // namespace

void AddDumpCommand(CLI::App& app, Command* selected) {
  CLI::App* const command =
      AddCommand(app, "dump", "Every row of the keyspace decoded (--json: a line for each), or one row in hex",
                 "fdbjobs-cli dump --key '(\"couch_jobs\", \"data\", \"thumbnails\", \"photo-7\")'");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("--key", arguments->key,
                      "One row: its key as a tuple without the prefix, or 0x and all its bytes");
  command->add_option("--type", arguments->type, "Only rows of this type");
  command->callback([selected, arguments] {
    *selected = [arguments](Context& context) -> absl::StatusOr<int> {
      if (absl::Status status = context.Open(); !status.ok()) return status;
      return arguments->key.empty() ? DumpAll(context, arguments->type) : DumpOne(context, arguments->key);
    };
  });
}

}  // namespace fdbjobs::cli
