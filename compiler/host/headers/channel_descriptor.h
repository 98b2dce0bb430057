#pragma once
// Programs ask whether it was read.
#define __CHANNEL_DESCRIPTOR_H__
#include <cuda_runtime.h>
