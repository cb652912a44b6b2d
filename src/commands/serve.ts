import { type Command, InvalidArgumentError } from 'commander';
import { readSettings } from '../config.ts';
import { listFirms } from '../firm/firm.ts';
import { type EmbeddedPostgres, startEmbedded } from '../postgres/embedded/embedded.ts';
import { migrate } from '../postgres/migrate.ts';
import { guardProcess, type Server, startServer } from '../server.ts';
import { type CommonOptions, type Terminal, withCommonOptions } from './terminal.ts';

export type ServeOptions = CommonOptions & { host: string; port: number };

/** `serve`, which is also what the executable does without a command. */
export const serveCommand = (program: Command, terminal: Terminal) => {
  withServeOptions(program.command('serve', { isDefault: true }))
    .description('start the API and the job runner (the default)')
    .addHelpText('after', '\nExample:\n  matterhorn serve --port 3000 --data /var/lib/matterhorn')
    .action((options: ServeOptions) =>
      serve(terminal, options, async (server, dataDirectory) => {
        if (options.json) return `${JSON.stringify({ url: server.url, dataDirectory })}\n`;
        const firms = await listFirms(server.database);
        return [
          `Matterhorn listens on ${server.url}`,
          dataDirectory
            ? `Its data is in ${dataDirectory}`
            : 'Its data is in the database of DATABASE_URL',
          firms.length > 0
            ? `Firms: ${firms.map((firm) => firm.name).join(', ')}`
            : 'There is no firm yet. Make the first with: matterhorn firm apply FILE (or try: matterhorn demo)',
          '',
        ].join('\n');
      }),
    );
};

/** Adds the options of everything that serves. */
export const withServeOptions = (command: Command) =>
  withCommonOptions(command)
    .option('--port <port>', 'port to listen on; 0 takes a free one', portFrom, 3000)
    .option('--host <address>', 'address to listen on', '127.0.0.1');

const portFrom = (text: string) => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535)
    throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
  return port;
};

/**
 * Serves until SIGTERM or SIGINT; then answers what is under way and stops the database it started.
 * `greet` gives what is printed once the first request can be answered.
 */
export const serve = async (
  terminal: Terminal,
  options: ServeOptions,
  greet: (server: Server, dataDirectory: string | undefined) => Promise<string>,
): Promise<void> => {
  const settings = readSettings(terminal.environment);
  const ended = Promise.withResolvers<void>();
  const embedded = settings.database
    ? undefined
    : await startDatabase(terminal, options, ended.reject);
  let server: Server | undefined;
  try {
    await migrate(settings.database ?? embedded?.address ?? '');
    server = startServer(settings.database ?? embedded?.address ?? '', settings, options);
    guardProcess(() => server?.stop() ?? Promise.resolve());
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.once(signal, () => ended.resolve());
    terminal.out(await greet(server, embedded?.dataDirectory));
    await ended.promise;
  } finally {
    await server?.stop();
    await embedded?.stop();
  }
};

const startDatabase = (
  terminal: Terminal,
  { data }: ServeOptions,
  giveUp: (error: Error) => void,
): Promise<EmbeddedPostgres> =>
  startEmbedded({
    dataDirectory: data,
    say: (sentence) => terminal.err(`${sentence}\n`),
    onGaveUp: (sentence) => giveUp(Object.assign(new Error(sentence), { name: 'PlainError' })),
  });
