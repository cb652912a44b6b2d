import type { Command } from 'commander';
import { call } from '../base/call.ts';
import { Refusal } from '../base/refusal.ts';
import { readSettings } from '../config.ts';
import { placeOf, type ServeOptions, withServeOptions } from './serve.ts';
import { print, type Terminal } from './terminal.ts';

/** `ready`, for programs that watch a server: exit status 0 if the one at this port answers requests. */
export const readyCommand = (program: Command, terminal: Terminal) => {
  withServeOptions(program.command('ready'))
    .description('ask the server of this machine whether it answers requests')
    .addHelpText('after', '\nExample:\n  matterhorn ready --port 3000')
    .action(async (options: ServeOptions) => {
      const reason = await whyNotReady(options, terminal.environment);
      if (reason !== undefined) throw new Refusal('unavailable', reason);
      print(terminal, options, { ready: true }, ['The server is ready.']);
    });
};

/** A server that listens on every address is asked at this machine's own. */
const addressOf = ({ host, port }: { host: string; port: number }, scheme: 'http' | 'https') => {
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${scheme}://${own.includes(':') ? `[${own}]` : own}:${port}/readyz`;
};

/**
 * Why the server with these options and settings is not ready; undefined if it is. Asked by no HTTP_PROXY,
 * and its certificate is for its name on the network, not for this address.
 */
export const whyNotReady = async (
  options: Pick<ServeOptions, 'host' | 'port'>,
  environment: Terminal['environment'],
): Promise<string | undefined> => {
  const settings = readSettings(environment);
  const address = addressOf(await placeOf(options, settings), settings.tls ? 'https' : 'http');
  const met = await call(address, patienceMilliseconds).catch(() => undefined);
  if (!met)
    return `No server answered at ${address}. Start it with \`matterhorn serve\`, or name its --port.`;
  const isReady = met.status >= 200 && met.status < 300;
  return isReady ? undefined : (reasonIn(met.text) ?? `The server answered ${met.status}.`);
};

const reasonIn = (text: string): string | undefined => {
  try {
    const said = JSON.parse(text) as { error?: { message?: string } } | null;
    return said?.error?.message;
  } catch {
    return undefined;
  }
};

const patienceMilliseconds = 5_000;
