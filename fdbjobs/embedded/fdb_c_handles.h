// The types that the C ABI hands out as pointers. Callers never look inside them.
//
// A Future is an FDB_future (future.h); the others are defined beside the functions that make them.
#ifndef FDBJOBS_EMBEDDED_FDB_C_HANDLES_H_
#define FDBJOBS_EMBEDDED_FDB_C_HANDLES_H_

// Empty, so that a future is one object and one allocation.
struct FDB_future {};

struct FDB_cluster;
struct FDB_database;
struct FDB_result;
struct FDB_tenant;
struct FDB_transaction;

#endif  // FDBJOBS_EMBEDDED_FDB_C_HANDLES_H_
