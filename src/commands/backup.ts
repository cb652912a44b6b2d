import type { Command } from 'commander';
import { headsFileOf, writeKeptHeads } from '../audit/kept-heads.ts';
import { checkArchive } from '../backup/archive.ts';
import { type Backup, makeBackup, type OnProgress } from '../backup/backup.ts';
import { type KeyPair, mustBeRecipients, newKeyPair } from '../backup/encryption.ts';
import { type Manifest, rowsIn } from '../backup/manifest.ts';
import { rememberBackup } from '../backup/remembered.ts';
import { type Restored, restoreBackup } from '../backup/restore.ts';
import { fingerprintOf, type InstallationKey } from '../base/installation-key.ts';
import { invalid, Refusal } from '../base/refusal.ts';
import { readSettings } from '../config.ts';
import { directoryOf } from '../postgres/embedded/embedded.ts';
import { openSession } from '../postgres/session.ts';
import { identitiesFor, withIdentity } from './identity.ts';
import { keyFileFor, keyFor, keyToSignWith, makeKey } from './installation.ts';
import {
  type CommonOptions,
  mustHoldData,
  print,
  type Terminal,
  untilInterrupted,
  withAddresses,
  withCommonOptions,
} from './terminal.ts';

export const backupCommands = (program: Command, terminal: Terminal) => {
  const backup = withCommonOptions(
    program.command('backup').argument('<file>', 'a file that is not there yet', newFileFrom),
  )
    .description('write everything to a new file, as it is at one moment; the server may run')
    .option(
      '--recipient <age1...>',
      'encrypt it for this key of `backup key`; may be repeated',
      several,
    )
    .addHelpText('after', '\nExample:\n  matterhorn backup harrow-2026-11-21.backup')
    .action((file: string, options: CommonOptions & { recipient?: string[] }) =>
      untilInterrupted(async (signal) => {
        const settings = readSettings(terminal.environment);
        const recipients = options.recipient ?? settings.backupRecipients;
        await mustBeRecipients(recipients, options.recipient ? '--recipient' : 'BACKUP_RECIPIENT');
        const isEmbedded = !settings.database;
        if (isEmbedded) mustHoldData(options.data);
        const made = await withAddresses(terminal, options, async ({ owner }) => {
          const { key, why } = await keyToSignWith(keyFileFor(terminal, options), owner);
          const session = await openSession(owner, signal);
          try {
            const backup = await withProgress(terminal, (onProgress) =>
              makeBackup(session, file, { signal, key, recipients, onProgress }),
            );
            return { ...backup, recipients, signedBy: key && fingerprintOf(key.publicKey), why };
          } finally {
            await session.close();
          }
        });
        if (isEmbedded) {
          await rememberBackup(directoryOf(options.data), new Date(made.manifest.madeAt));
        }
        print(terminal, options, summaryOf(file, made), linesOn(file, made));
      }),
    );

  withCommonOptions(backup.command('key'))
    .description('create a pair of keys: one encrypts backups, the other opens them')
    .addHelpText('after', '\nExample:\n  matterhorn backup key')
    .action(async (_: CommonOptions, command: Command) => {
      const pair = await newKeyPair();
      // `backup` has these options too, and takes them first.
      print(terminal, command.optsWithGlobals(), pair, linesOfPair(pair));
    });

  withIdentity(withCommonOptions(program.command('restore <file>')))
    .description('restore a backup into an empty database or data directory, and prove it')
    .option('--unsigned', 'also restore a backup that is not signed')
    .option(
      '--signed-by <key>',
      'refuse a backup that was not signed by the key with this fingerprint',
    )
    .option('--anyway', 'also restore what did not add up when the backup was created')
    .addHelpText(
      'after',
      '\nExample:\n  matterhorn restore harrow-2026-11-21.backup --data ./restored',
    )
    .action((file: string, options: RestoreCommandOptions) =>
      untilInterrupted(async (signal) => {
        const identities = await identitiesFor(terminal, options);
        const { manifest, signedBy } = await checkArchive(file, { signal, identities });
        const signer = signerOf(signedBy, keyFor(terminal, options));
        refuseUnlessSigned(file, signer, options);
        const restored = await withAddresses(terminal, options, (addresses, { database }) =>
          withProgress(terminal, (onProgress) =>
            restoreBackup(addresses, file, manifest, {
              isEmbedded: database === undefined,
              anyway: options.anyway ?? false,
              identities,
              signal,
              onProgress,
            }),
          ),
        );
        const key = signOnWith(terminal, options, manifest);
        const { logs, leftOut, foreignKeys, findings } = restored;
        const { madeAt, version, tables } = manifest;
        const rows = rowsIn(manifest);
        const proved = { tables: tables.length - leftOut.length, rows, foreignKeys, logs };
        const result = { file, madeAt, version, signer, key, ...proved, leftOut, findings };
        print(terminal, options, result, linesOf(result));
      }),
    );
};

type RestoreCommandOptions = CommonOptions & {
  identity?: string;
  anyway?: boolean;
  unsigned?: boolean;
  signedBy?: string;
};

/** Who signed a backup, by the fingerprint of the key. */
type SignedBy = { key: string; isThisInstallation: boolean } | null;

const signerOf = (signedBy: string | undefined, own: InstallationKey | undefined): SignedBy =>
  signedBy === undefined
    ? null
    : { key: fingerprintOf(signedBy), isThisInstallation: signedBy === own?.publicKey };

const refuseUnlessSigned = (
  file: string,
  signer: SignedBy,
  { unsigned, signedBy }: RestoreCommandOptions,
) => {
  if (!signer && !unsigned) {
    throw new Refusal(
      'conflict',
      `The backup ${file} is not signed: anybody could have created it, or changed it. Restore it with --unsigned where you know where it was kept since; those of version 0.2 and before are all unsigned.`,
    );
  }
  if (signedBy !== undefined && signer?.key !== signedBy) {
    throw new Refusal(
      'conflict',
      `The backup ${file} was ${signer ? `signed by key ${signer.key}` : 'not signed'}, and not by ${signedBy}. Nothing was restored.`,
    );
  }
};

/**
 * The key that signs from now on, made if there is none. The restored heads are the ones it goes on
 * from.
 */
const signOnWith = (terminal: Terminal, options: CommonOptions, { firms }: Manifest) => {
  const file = keyFileFor(terminal, options);
  if (file === undefined) return null;
  const { publicKey } = keyFor(terminal, options) ?? makeKey(file);
  const heads = firms.flatMap(({ hash, ...head }) => (hash === null ? [] : [{ ...head, hash }]));
  writeKeptHeads(headsFileOf(file), heads);
  return fingerprintOf(publicKey);
};

const newFileFrom = (text: string) => {
  if (text !== '-') return text;
  throw invalid('A backup goes into a file, not to standard output. Name the file.');
};

const several = (word: string, before: string[] = []) => [...before, word];

const linesOfPair = ({ recipient, identity }: KeyPair) => [
  'This key encrypts backups, and can open none. Put it on the server, as the setting BACKUP_RECIPIENT:',
  recipient,
  '',
  'This secret key opens them. Without it nobody can, not even you. Keep it in two places, and not on the server:',
  'for example on paper in the firm’s safe, and with your passwords. `restore --identity FILE` asks for it.',
  identity,
];

type Made = Backup & {
  recipients: readonly string[];
  signedBy: string | undefined;
  why: string | undefined;
};

const summaryOf = (file: string, { manifest, bytes, signedBy, recipients }: Made) => ({
  file,
  bytes,
  madeAt: manifest.madeAt,
  version: manifest.version,
  rows: rowsIn(manifest),
  tables: Object.fromEntries(manifest.tables.map(({ name, rows }) => [name, rows])),
  firms: manifest.firms,
  signedBy: signedBy ?? null,
  recipients,
});

const linesOn = (file: string, { manifest, bytes, signedBy, recipients, why }: Made) => [
  `The backup is in ${file}: ${counted(rowsIn(manifest))} rows of ${manifest.tables.length} tables, ${sizeOf(bytes)}.`,
  signedBy ? `Signed by this installation, key ${signedBy}.` : `Not signed. ${why}`,
  recipients.length > 0
    ? `Encrypted for ${recipients.join(', ')}: only the secret key opens it.`
    : 'It holds everything in clear, keys only as digests: keep it where only those may look who may see all.',
  ...manifest.firms.map(
    ({ firmId, seals, hash }) =>
      `Audit log of firm ${firmId}: ${seals} seals, head ${hash ?? 'none yet'}`,
  ),
];

type Result = Pick<Restored, 'logs' | 'leftOut' | 'foreignKeys' | 'findings'> & {
  file: string;
  signer: SignedBy;
  key: string | null;
  madeAt: string;
  tables: number;
  rows: number;
};

const linesOf = (result: Result) => {
  const { file, madeAt, signer, key } = result;
  return [
    `Restored ${file}, as it was at ${madeAt}.`,
    signerLine(signer),
    ...(key && key !== signer?.key ? [`What is sealed from here on is signed by key ${key}.`] : []),
    ...proofLines(result),
  ];
};

const signerLine = (signer: SignedBy) => {
  if (!signer) return 'Not signed: nothing shows who created it, or whether it was changed since.';
  return signer.isThisInstallation
    ? `Signed by this installation, key ${signer.key}.`
    : `Signed by another installation: key ${signer.key}. Compare it with what \`matterhorn audit key\` printed there.`;
};

const proofLines = ({ tables, rows, foreignKeys, logs, leftOut, findings }: Result) => [
  `Proved: ${counted(rows)} rows of ${tables} tables are equal to the backup's, and ${foreignKeys} foreign keys hold.`,
  ...(findings.length === 0
    ? ['Proved: registers and sequences continue after the last record.']
    : []),
  ...logs
    .filter(({ firstBad }) => !firstBad)
    .map(
      ({ firmId, sealed, unsealed, head }) =>
        `Proved: the audit log of firm ${firmId} fits its ${counted(sealed)} seals. Entries not sealed yet: ${unsealed}. Head: ${head ?? 'none yet'}`,
    ),
  ...findings.map((finding) => `Not as it should be: ${finding}`),
  ...leftOut.map((table) => `Left out: the table ${table} is not Matterhorn's.`),
];

const counted = (count: number) => count.toLocaleString('en');

const sizeOf = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const barCells = 30;
const clearLine = '\r\x1b[K';
const redrawMilliseconds = 100;
const lineEveryMilliseconds = 5_000;

/**
 * Shows a bar to a person at a terminal, otherwise a line every few seconds. Quick work shows
 * nothing.
 */
const withProgress = async <Value>(
  terminal: Terminal,
  work: (onProgress: OnProgress) => Promise<Value>,
): Promise<Value> => {
  const isWatched = process.stderr.isTTY;
  let next = performance.now() + (isWatched ? 0 : lineEveryMilliseconds);
  const onProgress: OnProgress = (doing, done, all) => {
    const now = performance.now();
    if (now < next) return;
    next = now + (isWatched ? redrawMilliseconds : lineEveryMilliseconds);
    const part = all > 0 ? done / all : 0;
    const figures = all > 0 ? ` ${Math.floor(part * 100)} %` : '';
    const bar = '#'.repeat(Math.round(part * barCells)).padEnd(barCells, '.');
    terminal.err(isWatched ? `${clearLine}${doing} ${bar}${figures}` : `${doing}${figures}\n`);
  };
  try {
    return await work(onProgress);
  } finally {
    if (isWatched) terminal.err(clearLine);
  }
};
