import { collectDefaultMetrics } from 'prom-client';

/** Each sample wakes the process: the default of 10 ms takes a quarter of a percent of a core at rest. (709) */
const LOOP_SAMPLED_EVERY_MS = 100;

/** Collects the metrics of this process. The delay of its event loop includes the interval of its samples, 100 ms. */
export function collectProcessMetrics(): void {
  collectDefaultMetrics({ eventLoopMonitoringPrecision: LOOP_SAMPLED_EVERY_MS });
}
