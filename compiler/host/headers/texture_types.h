#pragma once
// Programs ask whether it was read.
#define __TEXTURE_TYPES_H__
#include <driver_types.h>
