"""Completion of ./workbook in a shell, from the commands' usage lines and the chapters' lists."""
