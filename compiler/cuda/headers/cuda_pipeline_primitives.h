// Under its old name.
#pragma once
#include <cuda_pipeline.h>
