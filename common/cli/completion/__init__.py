"""What a shell completes after ./workbook: read from the commands' own usage lines and the chapters' lists."""
