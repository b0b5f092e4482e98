# Cross-compiles for 64-bit Arm, with Debian's g++-aarch64-linux-gnu, qemu-user-static and googletest, to test the
# simulator for that architecture (docs/setup.md):
#
#   cmake -S . -B build-arm -DWORKBOOK_BACKEND=simulator -DCMAKE_TOOLCHAIN_FILE=common/cmake/Arm64.cmake
#         -DFETCHCONTENT_SOURCE_DIR_GOOGLETEST=/usr/src/googletest
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# Programs that start themselves again, as death tests do, need qemu as the kernel's interpreter too (binfmt_misc).
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)  # not the libraries of the machine that compiles
endforeach()
