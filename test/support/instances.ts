/** Servers as processes of their own, for tests that kill them. */
import { afterAll } from 'bun:test';
import { join } from 'node:path';

const program = join(import.meta.dir, '../../src/main.ts');

export type Instance = {
  url: string;
  /** Ends it as a power cut would: nothing it holds is put in order. */
  kill(): Promise<void>;
};

/** Starts a server on this database in a process of its own, and waits until it can be asked. */
export const startInstance = async (databaseUrl: string): Promise<Instance> => {
  const child = Bun.spawn(['bun', program, 'serve', '--port', '0', '--json'], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      DATABASE_CONNECTIONS: '4',
      RATE_LIMIT: 'off',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await child.exited;
  };
  afterAll(kill);
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
  void child.stderr.pipeTo(new WritableStream());
  return { url: (JSON.parse(greeting) as { url: string }).url, kill };
};
