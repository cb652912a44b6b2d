/**
 * The parts of an upgrade that work on the data, each in a process of its own: as the owner of the data,
 * also if root upgrades. They end when this process ends.
 */
import type { Subprocess } from 'bun';
import { call } from '../base/call.ts';
import { Refusal } from '../base/refusal.ts';

/** Where an installation has its data and settings, and where it is asked whether it is ready. */
export type Site = {
  /** The data directory, which with DATABASE_URL takes only the copy. */
  data: string;
  isOutside: boolean;
  host?: string;
  port?: number;
  environment: Record<string, string | undefined>;
};

/** What `upgrade-data` prints. */
export type StepSaid = { interrupted: { from: string; to: string } | null; stopped: boolean };

const startMilliseconds = 30 * 60_000;
const answerMilliseconds = 60_000;
const endMilliseconds = 60_000;

// This very program, also when another one has its name.
const ownProgram = process.platform === 'linux' ? '/proc/self/exe' : process.execPath;

/** Runs one step of `upgrade-data`, of this program or another. Throws its sentence as a `Refusal`. */
export const step = async (
  { data, environment }: Site,
  words: ['check'] | ['copy', string] | ['back', string],
  program = ownProgram,
): Promise<StepSaid> => {
  const line = [program, 'upgrade-data', ...words, '--data', data, '--json'];
  const child = Bun.spawn(line, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) === 0) return JSON.parse(out) as StepSaid;
  throw new Refusal('conflict', sentenceIn(err) ?? `It ended unexpectedly (${howEnded(child)}).`);
};

/**
 * Starts an executable on the data as it will serve, but where nobody else can reach it, until it answers that it
 * is ready; then stops it. Returns why it did not become ready; undefined if it did.
 */
export const trial = async (executable: string, site: Site): Promise<string | undefined> => {
  const line = ['serve', '--host', '127.0.0.1', '--port', '0', '--data', site.data, '--json'];
  const child = Bun.spawn([executable, ...line], {
    env: { ...site.environment, ...trialSettings(site.environment) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const errors = child.stderr.text();
  const deadline = setTimeout(() => child.kill('SIGKILL'), startMilliseconds);
  try {
    const url = await urlSaid(child);
    if (url !== undefined && (await call(`${url}/readyz`, answerMilliseconds)).status === 200) {
      return undefined;
    }
  } catch {
    // What it wrote says why.
  } finally {
    clearTimeout(deadline);
    child.kill('SIGTERM');
    await Promise.race([child.exited, Bun.sleep(endMilliseconds)]);
    child.kill('SIGKILL');
    await child.exited;
  }
  return sentenceIn(await errors) ?? `It ended with ${howEnded(child)}.`;
};

/** What would reach out, or be in the way of others, is off in a trial. */
const trialSettings = (environment: Site['environment']) => ({
  ...Object.fromEntries(
    Object.keys(environment)
      .filter((name) => /^(TLS|BACKUP|METRICS)_/.test(name))
      .map((name) => [name, '']),
  ),
  DRAIN_SECONDS: '0',
  MATTERHORN_LOG: 'quiet',
  [trialVariable]: 'trial',
});

const trialVariable = 'MATTERHORN_UPGRADE';

/** Whether the settings make a server a trial, which is all that it needs to know of `upgrade`. */
export const isTrial = (environment: Site['environment']) => environment[trialVariable] === 'trial';

const urlSaid = async (child: Subprocess<'pipe', 'pipe', 'pipe'>): Promise<string | undefined> => {
  let text = '';
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.includes('\n')) return (JSON.parse(text) as { url: string }).url;
  }
  return undefined;
};

/** The last line for people. The lines of the log are JSON. */
const sentenceIn = (errors: string) =>
  errors.split('\n').findLast((line) => line.trim() !== '' && !line.startsWith('{'));

const howEnded = ({ signalCode, exitCode }: Subprocess) => signalCode ?? `exit code ${exitCode}`;

/** For a step or a trial: ends this process at once when the one that asked for it ends. */
export const endWithParent = async () => {
  for await (const _ of Bun.stdin.stream());
  process.exit(1);
};
