/** The systemd unit `matterhorn`, if it runs this executable. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Refusal } from '../base/refusal.ts';

export type Unit = {
  isActive: boolean;
  /** What it gives the server: the words after the executable, and the settings. */
  words: string[];
  environment: Record<string, string>;
};

const name = 'matterhorn.service';
/** Where systemd looks for a program without a path. */
const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin'];

/** The unit that runs this executable; undefined if there is none. */
export const unitOf = (executable: string): Unit | undefined => {
  const shown = ask(
    'show',
    name,
    '--property=LoadState,ActiveState,ExecStart,Environment,EnvironmentFiles',
  );
  if (shown === undefined) return undefined;
  const said = (property: string) =>
    [...shown.matchAll(new RegExp(`^${property}=(.*)$`, 'gm'))].map(([, value = '']) => value);
  const [start = ''] = said('ExecStart');
  const [, path = ''] = /\bpath=(\S+)/.exec(start) ?? [];
  const [, line = ''] = /\bargv\[\]=(.*?) ;/.exec(start) ?? [];
  const program = path.startsWith('/')
    ? path
    : folders.map((folder) => join(folder, path)).find((file) => existsSync(file));
  if (!path || !program || !existsSync(program) || realpathSync(program) !== executable)
    return undefined;
  return {
    isActive: ['active', 'activating', 'reloading'].includes(said('ActiveState')[0] ?? ''),
    words: line.split(' ').slice(1),
    environment: {
      ...Object.fromEntries(said('Environment').flatMap((text) => pairsIn(text.split(' ')))),
      ...Object.fromEntries(said('EnvironmentFiles').flatMap(pairsOfFile)),
    },
  };
};

const pairsIn = (texts: string[]): [string, string][] =>
  texts.flatMap((text) => {
    const [, key, value = ''] = /^\s*(\w+)=(.*)$/.exec(text) ?? [];
    return key ? [[key, value.trim().replace(/^(["'])(.*)\1$/, '$2')] as [string, string]] : [];
  });

const pairsOfFile = (text: string): [string, string][] => {
  const file = resolve(text.replace(/ \(ignore_errors=\w+\)$/, ''));
  return existsSync(file) ? pairsIn(readFileSync(file, 'utf8').split('\n')) : [];
};

/** Stops the unit, and waits until its processes have ended. */
export const stopUnit = () => must('stop');

/** Starts the unit, which may not be ready yet. */
export const startUnit = () => must('start');

/** Whether the unit has given up. */
export const hasUnitFailed = () =>
  ['failed', 'inactive'].includes(ask('is-active', name)?.trim() ?? '');

const must = (verb: 'start' | 'stop') => {
  const { success, stderr } = Bun.spawnSync(['systemctl', verb, name]);
  if (success) return;
  throw new Refusal(
    'unavailable',
    `systemctl did not ${verb} ${name}: ${stderr.toString().trim().split('\n')[0]}`,
  );
};

const ask = (...words: string[]): string | undefined => {
  try {
    return Bun.spawnSync(['systemctl', ...words]).stdout.toString();
  } catch {
    return undefined; // There is no systemd here.
  }
};
