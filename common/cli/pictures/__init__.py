"""Pictures of a traced kernel's memory accesses."""
