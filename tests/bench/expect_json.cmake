# For scripts that run a benchmark and look at its JSON.

# run_bench(<argument>...): runs ${BENCH}; what it prints is in `output`.
macro(run_bench)
  execute_process(COMMAND ${BENCH} ${ARGN} OUTPUT_VARIABLE output RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "fdbjobs-bench ended with ${result}")
  endif()
endmacro()

# expect(<type> <path>...): the value at the path is there, and of that type.
function(expect type)
  list(JOIN ARGN "." path)
  string(JSON found ERROR_VARIABLE error TYPE "${output}" ${ARGN})
  if(error)
    message(SEND_ERROR "${path} is missing: ${error}")
  elseif(NOT found STREQUAL type)
    message(SEND_ERROR "${path} is ${found}, not ${type}")
  endif()
endfunction()

# expect_value(<value> <path>...)
function(expect_value value)
  list(JOIN ARGN "." path)
  string(JSON found ERROR_VARIABLE error GET "${output}" ${ARGN})
  if(NOT found STREQUAL value)
    message(SEND_ERROR "${path} is ${found} and should be ${value}; ${error}")
  endif()
endfunction()
