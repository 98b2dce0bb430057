// Declared before any header.
#pragma once
#include <cuda_runtime_api.h>
