import type { Command } from 'commander';
import { Refusal } from '../base/refusal.ts';
import { readSettings } from '../config.ts';
import { type ServeOptions, withServeOptions } from './serve.ts';
import { print, type Terminal } from './terminal.ts';

/** `ready`, for programs that watch a server: exit status 0 if the one at this port answers requests. */
export const readyCommand = (program: Command, terminal: Terminal) => {
  withServeOptions(program.command('ready'))
    .description('ask the server of this machine whether it answers requests')
    .addHelpText('after', '\nExample:\n  matterhorn ready --port 3000')
    .action(async (options: ServeOptions) => {
      const { tls } = readSettings(terminal.environment);
      const reason = await whyNotReady(addressOf(options, tls ? 'https' : 'http'));
      if (reason !== undefined) throw new Refusal('unavailable', reason);
      print(terminal, options, { ready: true }, ['The server is ready.']);
    });
};

/** A server that listens on every address is asked at this machine's own. */
const addressOf = ({ host, port }: ServeOptions, scheme: 'http' | 'https') => {
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${scheme}://${own.includes(':') ? `[${own}]` : own}:${port}/readyz`;
};

const whyNotReady = async (address: string): Promise<string | undefined> => {
  try {
    const answer = await fetch(address, {
      signal: AbortSignal.timeout(askMilliseconds),
      // Its certificate is for its name on the network, not for an address of this machine.
      tls: { rejectUnauthorized: false },
    });
    if (answer.ok) return undefined;
    const { error } = (await answer.json()) as { error?: { message?: string } };
    return error?.message ?? `The server answered ${answer.status}.`;
  } catch {
    return `No server answered at ${address}. Start it with \`matterhorn serve\`, or name its --port.`;
  }
};

const askMilliseconds = 5_000;
