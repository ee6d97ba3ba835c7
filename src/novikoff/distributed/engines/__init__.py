"""The engines: threads of this process, and adapters for clusters. Each is imported when it is first used."""
