import type { Server } from 'bun';
import { targetOf } from './target.ts';

/** What answers requests: an Elysia app, or several behind one port. */
export type Door = {
  /** The patterns of its paths, for the log and the figures. */
  routes: { path: string }[];
  compile(): { fetch: (request: Request) => Response | Promise<Response> };
  /** Set once it stands behind a port: it is asked for the caller's address. */
  server: Server<undefined> | null;
};

/** Two doors behind one port: `ours` answers the paths that are its own, `others` all else. */
export const byPath = (isOurs: (pathname: string) => boolean, ours: Door, others: Door): Door => ({
  routes: [...ours.routes, ...others.routes],
  compile() {
    const [first, second] = [ours.compile(), others.compile()];
    return {
      fetch: (request) => (isOurs(targetOf(request).pathname) ? first : second).fetch(request),
    };
  },
  get server() {
    return ours.server;
  },
  set server(server) {
    ours.server = server;
    others.server = server;
  },
});
