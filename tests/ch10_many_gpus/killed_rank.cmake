# Writes the program of mpi/01_ranks.cu with additional lines. KILLED_RANK=1 KILLED_WHILE=computing in the environment
# kills rank 1 before it calls ncclAllReduce; KILLED_WHILE=all_reduce kills it while it waits there for the next rank.
function(workbook_write_killed_rank source output)
  file(READ ${source} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  set(begin "static void run(const Mpi& mpi) {\n")
  set(compute "  queue_share_dot(")
  set(all_reduce "  check_nccl(ncclAllReduce(")
  foreach(line IN ITEMS "${begin}" "${compute}" "${all_reduce}")
    string(FIND "${text}" "${line}" first)
    string(FIND "${text}" "${line}" last REVERSE)
    if(first EQUAL -1 OR NOT first EQUAL last)
      message(FATAL_ERROR "tests/ch10_many_gpus/killed_rank.cmake looks in ${source} for one line with '${line}'.")
    endif()
  endforeach()
  string(REPLACE "#include <mpi.h>\n" "#include <mpi.h>\n#include <signal.h>\n#include <unistd.h>\n" text "${text}")
  string(REPLACE "${begin}" "${begin}  const int victim = std::stoi(std::getenv(\"KILLED_RANK\"));
  const std::string killed_while = std::getenv(\"KILLED_WHILE\");
" text "${text}")
  string(REPLACE "${compute}" "  if (killed_while == \"computing\" && mpi.rank == victim) raise(SIGKILL);
${compute}" text "${text}")
  string(REPLACE "${all_reduce}" "  if (killed_while == \"all_reduce\" && mpi.rank == victim) {
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      kill(getpid(), SIGKILL);
    }).detach();
  } else if (killed_while == \"all_reduce\" && mpi.rank == (victim + 1) % mpi.ranks) {
    std::this_thread::sleep_for(std::chrono::seconds(2));
  }
${all_reduce}" text "${text}")
  file(CONFIGURE OUTPUT ${output} CONTENT "${text}" @ONLY)
endfunction()
