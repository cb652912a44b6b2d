import type { Pair } from '../base/certificate.ts';
import { filesOf } from '../base/certificate-settings.ts';
import type { Settings } from '../config.ts';
import { openPort, type Port } from './port.ts';

/** The ports of a server: the one that everybody calls, and the one of its metrics. */
export type Ports = { callers: Port; metrics: Port | undefined };

/** Opens the ports; `pair` is a certificate that is in no files. Throws `Refusal` if one is taken or may not be opened. */
export const openPorts = (
  { tls, drainSeconds, metricsAddress }: Settings,
  where: { host: string; port: number },
  pair?: Pair,
): Ports => {
  const callers = openPort({ ...where, files: filesOf(tls), pair, drainSeconds });
  try {
    const metrics = metricsAddress && openPort(metricsAddress, 'in METRICS_ADDRESS');
    return { callers, metrics };
  } catch (error) {
    void callers.close();
    throw error;
  }
};

/** Closes ports at which nothing listens yet. */
export const closePorts = ({ callers, metrics }: Ports) => {
  void callers.close();
  void metrics?.close();
};
