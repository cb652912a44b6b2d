import type { Settings } from './config.ts';
import type { Installation } from './doctor/installation.ts';
import { openDoors, type Server } from './doors.ts';
import { openPorts } from './http/ports.ts';
import { openMetrics } from './metrics/metrics.ts';
import type { Address } from './postgres/connection.ts';

/**
 * Starts the doors and the job runner on a migrated database. Throws `Refusal` if a port is taken
 * or may not be opened.
 */
export const startServer = (
  address: Address,
  settings: Settings,
  where: { host: string; port: number },
  installation?: Installation,
): Server => {
  const countWith = settings.metricsAddress && openMetrics;
  return openDoors(settings, openPorts(settings, where), countWith).start(address, installation);
};
