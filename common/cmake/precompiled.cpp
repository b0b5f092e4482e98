// Nothing: a library needs a source, and what counts here are the headers that are compiled for it.
