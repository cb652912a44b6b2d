import { open, urlOf } from '../http/listen.ts';
import type { Metrics } from './metrics.ts';

/**
 * Shows the metrics at `/metrics` on a separate port, for the administrator only. Throws `Refusal`
 * if the port is taken or may not be opened.
 */
export const exposeMetrics = (where: { host: string; port: number }, metrics: Metrics) => {
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname !== '/metrics')
      return new Response('The metrics are at /metrics.\n', { status: 404 });
    return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } });
  };
  const server = open(where, answer, 'in METRICS_ADDRESS');
  return { url: `${urlOf(server, where.host)}/metrics`, close: () => server.stop(true) };
};
