#include <features.h>
#include <stdint.h>
#include <spandsp/telephony.h>
#include <spandsp/g711.h>
#include <spandsp/g722.h>
