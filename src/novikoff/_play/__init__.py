"""The playground: learners step by step in the browser, by the library's own kernels compiled to WebAssembly."""

from .page import playground as playground
