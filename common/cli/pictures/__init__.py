"""Pictures of what a traced kernel does with memory."""
