// The type codes of the packed form: shared by the writer and the reader, of no use to anybody else.
//
// Frozen: these numbers are in the database. docs/tuple.md lists them.
#ifndef FDBJOBS_KEYSPACE_TUPLE_FORMAT_H_
#define FDBJOBS_KEYSPACE_TUPLE_FORMAT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "fdbjobs/keyspace/tuple_types.h"

namespace fdbjobs::tuple::format {

inline constexpr uint8_t kNull = 0x00;
inline constexpr uint8_t kBytes = 0x01;
inline constexpr uint8_t kString = 0x02;
inline constexpr uint8_t kTuple = 0x05;
inline constexpr uint8_t kNegativeBig = 0x0b;
inline constexpr uint8_t kNegative8 = 0x0c;
inline constexpr uint8_t kZero = 0x14;
inline constexpr uint8_t kPositive8 = 0x1c;
inline constexpr uint8_t kPositiveBig = 0x1d;
inline constexpr uint8_t kFloat = 0x20;
inline constexpr uint8_t kDouble = 0x21;
inline constexpr uint8_t kFalse = 0x26;
inline constexpr uint8_t kTrue = 0x27;
inline constexpr uint8_t kUuid = 0x30;
inline constexpr uint8_t kVersionstamp = 0x33;

// Ends bytes, strings and nested tuples. Where it is content it is followed by kEscape, which is no type code, so
// that what ends there sorts before what goes on.
inline constexpr uint8_t kEnd = 0x00;
inline constexpr uint8_t kEscape = 0xff;

// nullopt for a code that no element begins with.
std::optional<Kind> KindOfCode(uint8_t code);

// "0x22 (long double, reserved)": a byte seen where a type code was expected, for messages.
std::string DescribeCode(uint8_t code);

}  // namespace fdbjobs::tuple::format

#endif  // FDBJOBS_KEYSPACE_TUPLE_FORMAT_H_
