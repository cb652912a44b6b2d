import { invalid } from './base/refusal.ts';
import type { Address } from './postgres/connection.ts';

/** How fast one key may call: so many a second on average, and so many at once. */
export type Rate = { perSecond: number; burst: number };

/** Every setting of the server, from the environment; the commands' flags come on top. */
export type Settings = {
  /** DATABASE_URL: any Postgres 15 or newer. Without it the embedded one is used. */
  database: Address | undefined;
  /** RATE_LIMIT: `off`, or `<per second>/<burst>`; 20/600 by default (contract.md, Keys, roles, rates). */
  rateLimit: Rate | 'off';
  /** DATABASE_CONNECTIONS: at most so many connections to Postgres; 10 by default, 2 to 100. */
  databaseConnections: number;
};

/** Reads the environment. Throws `Refusal` naming the variable that is wrong and what it takes. */
export const readSettings = (environment: Record<string, string | undefined>): Settings => ({
  database: databaseFrom(environment.DATABASE_URL),
  rateLimit: rateFrom(environment.RATE_LIMIT),
  databaseConnections: connectionsFrom(environment.DATABASE_CONNECTIONS),
});

const databaseFrom = (text: string | undefined): Address | undefined => {
  if (!text) return undefined;
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) {
    throw invalid(
      'DATABASE_URL must be an address like postgres://user:password@host:5432/database.',
    );
  }
  const { hostname, port, username, password, pathname } = new URL(text);
  const host = decodeURIComponent(hostname);
  if (!host.startsWith('/')) return text;
  // As libpq has it: a percent-encoded folder in the host's place is where the socket lies.
  return {
    path: `${host}/.s.PGSQL.${port || 5432}`,
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
  };
};

const rateFrom = (text = '20/600'): Rate | 'off' => {
  if (text === 'off') return 'off';
  const [, perSecond, burst] = /^(\d{1,6}(?:\.\d{1,3})?)\/(\d{1,7})$/.exec(text) ?? [];
  if (!(Number(perSecond) > 0 && Number(burst) >= 1)) {
    throw invalid('RATE_LIMIT must be `off` or `<per second>/<burst>`, such as 20/600.');
  }
  return { perSecond: Number(perSecond), burst: Number(burst) };
};

const connectionsFrom = (text = '10') => {
  const connections = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (connections < 2 || connections > 100) {
    throw invalid('DATABASE_CONNECTIONS must be a whole number from 2 to 100.');
  }
  return connections;
};
