"""The server of ``novikoff serve``: predictions while models learn, with a durable log of every example."""
