import type { Server } from 'bun';
import { pathOf } from './target.ts';

/** What answers requests: an Elysia app, or several of them on one port. */
export type Door = {
  /** The patterns of its paths, for the log and the metrics. */
  routes: { path: string }[];
  compile(): { fetch: (request: Request) => Response | Promise<Response> };
  /** Set when it is on a port: the caller's address is read from it. */
  server: Server<undefined> | null;
};

/**
 * Two doors on one port: `ours` answers its own paths, `others` all the rest. They are compiled
 * once.
 */
export const byPath = (isOurs: (pathname: string) => boolean, ours: Door, others: Door): Door => {
  let compiled: ReturnType<Door['compile']> | undefined;
  const compile = () => {
    const [first, second] = [ours.compile(), others.compile()];
    const doorTo = (request: Request) => (isOurs(pathOf(request)) ? first : second);
    return { fetch: (request: Request) => doorTo(request).fetch(request) };
  };
  return {
    routes: [...ours.routes, ...others.routes],
    compile: () => (compiled ??= compile()),
    get server() {
      return ours.server;
    },
    set server(server) {
      ours.server = server;
      others.server = server;
    },
  };
};
