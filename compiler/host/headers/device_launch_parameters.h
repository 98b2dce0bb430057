#pragma once
// Programs ask whether it was read.
#define __DEVICE_LAUNCH_PARAMETERS_H__
#include <vector_types.h>
