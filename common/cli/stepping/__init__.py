"""A page on which a reader steps through what a block of a kernel did."""
