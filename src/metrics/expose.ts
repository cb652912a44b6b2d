import { type Port, urlOf } from '../http/listen.ts';
import type { Metrics } from './metrics.ts';

/** Shows the metrics at `/metrics` on a separate port, for the administrator only. */
export const exposeMetrics = ({ host, server, answerWith }: Port, metrics: Metrics) => {
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname !== '/metrics')
      return new Response('The metrics are at /metrics.\n', { status: 404 });
    return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } });
  };
  answerWith(answer);
  return { url: `${urlOf(server, host)}/metrics`, close: () => server.stop(true) };
};
