/** Servers as processes of their own, for tests that kill them. */
import { atEnd } from './at-end.ts';
import { programWords, sourceWords } from './program.ts';
import { environmentOf } from './roles.ts';

export type Instance = {
  url: string;
  pid: number;
  /** Ends it as a power cut would: nothing it holds is put in order. */
  kill(): Promise<void>;
  /** Ends it as a service manager does; says how it exited, and how long that took. */
  stop(): Promise<{ exitCode: number; milliseconds: number }>;
};

type Options = {
  /** A free one if it is left out. */
  port?: number;
  host?: string;
  /** What is run instead of the source tree. */
  executable?: string | undefined;
  /** What the source tree is started with, such as what measures its turns. */
  preload?: string[];
  /** The data directory of an embedded database, used where the address is empty. */
  data?: string;
  environment?: Record<string, string>;
  /** Is given what it writes to its log. */
  hear?: (text: string) => void;
};

/** Starts a server on this database in a process of its own, and waits until it can be asked. */
export const startInstance = async (
  databaseUrl: string,
  { port = 0, host, executable, preload, data, environment = {}, hear = () => {} }: Options = {},
): Promise<Instance> => {
  const usual = preload ? sourceWords(preload) : programWords(databaseUrl);
  const command = executable ? [executable] : usual;
  const where = [...(data ? ['--data', data] : []), ...(host ? ['--host', host] : [])];
  const child = Bun.spawn([...command, 'serve', '--port', String(port), '--json', ...where], {
    env: {
      ...process.env,
      ...environmentOf(databaseUrl),
      DATABASE_CONNECTIONS: '4',
      RATE_LIMIT: 'off',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await child.exited;
  };
  atEnd(kill);
  let greeting = '';
  for await (const chunk of child.stdout) {
    greeting += new TextDecoder().decode(chunk);
    if (greeting.includes('\n')) break;
  }
  if (!greeting) {
    const said = await new Response(child.stderr).text();
    throw new Error(`The server ended with ${await child.exited} before it served: ${said}`);
  }
  // Read on, so that a full pipe never holds it up.
  const decoder = new TextDecoder();
  void child.stderr.pipeTo(
    new WritableStream({ write: (chunk) => hear(decoder.decode(chunk, { stream: true })) }),
  );
  const stop = async () => {
    const since = performance.now();
    child.kill('SIGTERM');
    const exitCode = await child.exited;
    return { exitCode, milliseconds: Math.round(performance.now() - since) };
  };
  const { url } = JSON.parse(greeting) as { url: string };
  return { url, pid: child.pid, kill, stop };
};

const givenPorts = new Set<number>();

/**
 * A port that nothing listens on at the moment, another one each time. It is none of those that a
 * connection, or a server that asks for no port of its own, gets by chance until it is used.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    if (givenPorts.has(port)) continue;
    givenPorts.add(port);
    try {
      await Bun.listen({ port, hostname: '127.0.0.1', socket: { data() {} } }).stop(true);
      return port;
    } catch (error) {
      if ((error as { code?: string }).code !== 'EADDRINUSE') throw error;
    }
  }
};
