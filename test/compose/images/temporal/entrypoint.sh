#!/bin/sh
# The other services of the server find this one by its address in the network.
set -eu
TEMPORAL_BROADCAST_ADDRESS=$(hostname -i | cut -d ' ' -f 1)
export TEMPORAL_BROADCAST_ADDRESS
exec temporal-server start
