# Runs `fdbjobs-bench monitor --json` with tiny sizes and checks that its output is JSON and has every field.
#
#   cmake -DBENCH=<program> -P monitor_json_test.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/expect_json.cmake)

run_bench(monitor --json --types 50 --seconds 0.05 --running 300 --stale 200)

# expect_numbers(<object> <member>...): the members are there, and numbers.
function(expect_numbers object)
  foreach(member ${ARGN})
    expect(NUMBER ${object} ${member})
  endforeach()
endfunction()

expect_numbers(idle_types types timeout_seconds start_seconds start_processor_seconds seconds
               processor_share_without_monitor processor_share_with_monitor look_transactions rounds memory_bytes
               census_seconds)
expect_numbers(backlog running stale reenqueued seconds reenqueued_per_second batches batch_size_at_end round_median_ms
               round_max_ms look_us)
expect_value(200 backlog reenqueued)
