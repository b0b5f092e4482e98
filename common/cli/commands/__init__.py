"""One module per command. Each defines SUMMARY, USAGE, DETAILS and run(arguments, workbook) -> exit code."""
