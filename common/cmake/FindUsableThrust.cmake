# Where the simulator looks for Thrust, a part of CCCL. The command installs it there, in the root folder; g++ ignores the
# folder as long as it does not exist. A tree that lacks stages is configured again once it exists.
set(workbook_thrust_headers ${PROJECT_SOURCE_DIR}/data/cccl/nvidia/cu13/include/cccl)
set(workbook_thrust_command "python3 -m pip install --target data/cccl -r common/simulator/thrust/requirements.txt")
set(workbook_has_thrust FALSE)
if(EXISTS ${workbook_thrust_headers}/thrust/version.h)
  set(workbook_has_thrust TRUE)
endif()
