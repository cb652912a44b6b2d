import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Answered } from '../http/listen.ts';
import type { JobEnd } from '../jobs/kind.ts';
import { jobFigures } from '../jobs/queue.ts';
import { deliveredByKind } from '../notifications/delivered.ts';
import type { Database } from '../postgres/pool.ts';
import { version } from '../version.ts';

/**
 * The server's metrics, in the text format of Prometheus. Labels take few values, none of them a
 * caller's.
 */
export type Metrics = {
  contentType: string;
  answered(request: Answered): void;
  ended(job: JobEnd): void;
  /** From now on, reads the database's figures whenever somebody asks. */
  watch(database: Database): void;
  /** Everything as it is now, within a second, even while the database is away. */
  text(): Promise<string>;
};

/** Starts counting. `inFlight` says how many requests are not answered yet. */
export const openMetrics = (inFlight: () => number): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: 'matterhorn_http_request_duration_seconds',
    help: 'How long requests took.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const refused = new Counter({
    name: 'matterhorn_rate_limit_refusals_total',
    help: "Requests refused with 429, by what was spent: a key's calls, or an address's failures.",
    labelNames: ['limit'],
    registers,
  });
  const strangers = new Counter({
    name: 'matterhorn_authentication_failures_total',
    help: 'Requests refused with 401: their key was missing, wrong, revoked or expired.',
    registers,
  });
  const jobs = new Histogram({
    name: 'matterhorn_job_duration_seconds',
    help: 'How long runs of jobs took.',
    labelNames: ['kind', 'outcome'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 5],
    registers,
  });
  for (const limit of ['key', 'address']) refused.inc({ limit }, 0);
  new Gauge({
    name: 'matterhorn_http_requests_in_flight',
    help: 'Requests that are not answered yet.',
    registers,
    collect() {
      this.set(inFlight());
    },
  });
  new Counter({
    name: 'matterhorn_notifications_total',
    help: 'Notifications delivered.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      for (const [kind, count] of deliveredByKind()) this.inc({ kind }, count);
    },
  });
  countProcess(registry);
  let look = async () => {};

  return {
    contentType: registry.contentType,
    answered({ method, route, status, milliseconds, keyId }) {
      requests.observe({ method, route, status: String(status) }, milliseconds / 1000);
      if (status === 401) strangers.inc();
      if (status === 429) refused.inc({ limit: keyId === undefined ? 'address' : 'key' });
    },
    ended({ kind, outcome, milliseconds }) {
      jobs.observe({ kind, outcome }, milliseconds / 1000);
    },
    watch(database) {
      look = countDatabase(registry, database);
    },
    async text() {
      await look();
      return registry.metrics();
    },
  };
};

const countProcess = (registry: Registry) => {
  const registers = [registry];
  const startedAt = Date.now() / 1000 - process.uptime();
  new Gauge({
    name: 'matterhorn_build_info',
    help: 'Always 1; its label says which version runs.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process began, in seconds since 1970.',
    registers,
  }).set(startedAt);
  new Gauge({
    name: 'matterhorn_uptime_seconds',
    help: 'How long the process has run.',
    registers,
    collect() {
      this.set(process.uptime());
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of the process, without that of an embedded Postgres.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time that the process has used.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1_000_000);
    },
  });
};

const answerWithinMilliseconds = 800;

/** Returns what updates the database's figures before they are read. */
const countDatabase = (registry: Registry, database: Database) => {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const up = gauge(
    'matterhorn_database_up',
    'Whether the database answered just now. If not, there are no metrics of jobs.',
  );
  const due = gauge('matterhorn_jobs_due', 'Jobs in the database whose time has come.');
  const late = gauge('matterhorn_jobs_late', 'Of these, those due for more than half a minute.');
  const dead = gauge('matterhorn_jobs_dead', 'Jobs in the database that failed for good.');
  const oldest = gauge(
    'matterhorn_jobs_oldest_due_seconds',
    'How long the job has waited that has been due for longest.',
  );
  new Gauge({
    name: 'matterhorn_database_connections',
    help: 'Open connections to the database.',
    labelNames: ['state'],
    registers,
    collect() {
      const { connections, busy } = database.figures();
      this.set({ state: 'busy' }, busy);
      this.set({ state: 'idle' }, connections - busy);
    },
  });
  new Gauge({
    name: 'matterhorn_database_transactions_waiting',
    help: 'Transactions that wait for a connection.',
    registers,
    collect() {
      this.set(database.figures().waiting);
    },
  });
  new Counter({
    name: 'matterhorn_database_connections_lost_total',
    help: 'Connections that the database or the network ended, or that gave no answer in time.',
    registers,
    collect() {
      this.reset();
      this.inc(database.figures().lost);
    },
  });
  return async () => {
    const found = await Promise.race([
      database.run(jobFigures).catch(() => undefined),
      Bun.sleep(answerWithinMilliseconds).then(() => undefined),
    ]);
    up.set(found ? 1 : 0);
    if (!found) for (const unknown of [due, late, dead, oldest]) unknown.remove();
    else {
      const each = (figure: keyof (typeof found)[number]) =>
        found.map((row) => Number(row[figure]));
      due.set(sum(each('due')));
      late.set(sum(each('late')));
      dead.set(sum(each('dead')));
      oldest.set(Math.max(...each('oldestSeconds')));
    }
  };
};

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
