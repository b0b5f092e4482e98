# Where the simulator looks for Thrust, a part of CCCL. The command below installs it there; g++ ignores the folder as
# long as it does not exist.
set(workbook_thrust_headers ${PROJECT_SOURCE_DIR}/data/cccl/nvidia/cu13/include/cccl)
set(workbook_thrust_command "python3 -m pip install --target data/cccl -r common/simulator/thrust/requirements.txt")
