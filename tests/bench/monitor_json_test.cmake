# Runs `fdbjobs-bench monitor --json` with tiny sizes and checks that its output is JSON and has every field.
#
#   cmake -DBENCH=<program> -P monitor_json_test.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(
  COMMAND ${BENCH} monitor --json --types 50 --seconds 0.05 --running 300 --stale 200
  OUTPUT_VARIABLE output
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "fdbjobs-bench ended with ${result}")
endif()

# expect_numbers(<object> <member>...): the members are there, and numbers.
function(expect_numbers object)
  foreach(member ${ARGN})
    string(JSON found ERROR_VARIABLE error TYPE "${output}" ${object} ${member})
    if(error)
      message(SEND_ERROR "${object}.${member} is missing: ${error}")
    elseif(NOT found STREQUAL NUMBER)
      message(SEND_ERROR "${object}.${member} is ${found}, not a number")
    endif()
  endforeach()
endfunction()

expect_numbers(idle_types types timeout_seconds start_seconds start_processor_seconds seconds
               processor_share_without_monitor processor_share_with_monitor look_transactions rounds memory_bytes
               census_seconds)
expect_numbers(backlog running stale reenqueued seconds reenqueued_per_second batches batch_size_at_end round_median_ms
               round_max_ms look_us)
string(JSON reenqueued GET "${output}" backlog reenqueued)
if(NOT reenqueued EQUAL 200)
  message(SEND_ERROR "${reenqueued} jobs were put back, not 200")
endif()
