"""The live page: how a model and the server are doing, drawn from server-sent events."""
