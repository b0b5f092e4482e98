// Empty: a library needs a source, and this one is only for its precompiled headers.
