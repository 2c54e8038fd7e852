// reduce() is part of the main header.
#pragma once
#include <cooperative_groups.h>
