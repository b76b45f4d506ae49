#include "cresolver.h"
