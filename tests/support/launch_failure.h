#pragma once

// Makes the next kernel launch fail, as one does that asks for too much. False on a GPU, where
// there is no such thing for any launch; the simulator can.
bool fail_next_launch();
