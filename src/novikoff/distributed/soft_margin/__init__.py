"""Soft-margin support vector machines on partitioned data."""
