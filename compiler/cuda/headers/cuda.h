// Declared before any header.
#pragma once
#define CUDA_VERSION 13000
