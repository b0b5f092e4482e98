#pragma once

// Makes the kernel launch with this number from now on, 1 being the next, fail as one does that
// asks for too much; 0 takes it back. False on a GPU, where there is no such thing for any launch;
// the simulator can.
bool fail_launch(int number);

inline bool fail_next_launch() { return fail_launch(1); }
