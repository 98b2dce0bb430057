#pragma once
// Programs ask whether it was read.
#define __VECTOR_FUNCTIONS_H__
#include <vector_types.h>
