"""What 'novikoff log' does with the log of a server: show, replay, export and compact it."""
