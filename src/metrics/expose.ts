import type { Port } from '../http/port.ts';
import { pathOf } from '../http/target.ts';
import type { Metrics } from './metrics.ts';

/** Shows the metrics at `/metrics` on a separate port, for the administrator only. */
export const exposeMetrics = ({ url, answerWith, close }: Port, metrics: Metrics) => {
  const answer = async (request: Request): Promise<Response> => {
    if (pathOf(request) !== '/metrics')
      return new Response('The metrics are at /metrics.\n', { status: 404 });
    return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } });
  };
  answerWith(answer);
  return { url: `${url}/metrics`, close };
};
