import type { Command } from 'commander';
import { headOf } from '../audit/head.ts';
import { headsFileOf, type KeptHead, readKeptHeads } from '../audit/kept-heads.ts';
import { firmsOfLog, type Standing, verifyChain } from '../audit/verify.ts';
import { fingerprintOf, readInstallationKey } from '../base/installation-key.ts';
import { Refusal } from '../base/refusal.ts';
import { resealCertificates } from '../certificate/sealed.ts';
import { mustBeSealedUntil } from '../doctor/log-proof.ts';
import { setKey } from '../doctor/signing.ts';
import { listFirms } from '../firm/firm.ts';
import { resealAccounts } from '../mail/sealed.ts';
import type { Database } from '../postgres/pool.ts';
import { sealStored } from '../sign-in/sealed.ts';
import { sealWebhooks } from '../webhooks/sealed.ts';
import { findFirm } from './find.ts';
import { identitiesFor, withIdentity } from './identity.ts';
import { keyFileFor, keyFor, makeKey } from './installation.ts';
import { type KeptElsewhere, keptElsewhere } from './kept-elsewhere.ts';
import { verifySheet } from './sheet-proof.ts';
import {
  type CommonOptions,
  print,
  type Terminal,
  table,
  withCommonOptions,
  withDatabase,
} from './terminal.ts';

/** `audit verify`, `audit head`, `audit key`. */
export const proofCommands = (audit: Command, terminal: Terminal) => {
  verifyCommand(audit, terminal);
  headCommand(audit, terminal);
  keyCommand(audit, terminal);
};

const allLogs = ['--firm <id>', 'only the log of this firm; all of them where left out'] as const;

const verifyCommand = (audit: Command, terminal: Terminal) =>
  withIdentity(withCommonOptions(audit.command('verify [sheet]')))
    .description(
      'prove that no entry of the audit log was changed, removed or inserted; or, by its file, that a control sheet was not',
    )
    .option(...allLogs)
    .option(
      '--against <file-or-head>',
      'also prove that the log continues a head kept elsewhere: its digits, a backup, an export, a log',
    )
    .addHelpText(
      'after',
      '\nExample:\n  matterhorn audit verify --against harrow-2026-11-21.backup',
    )
    .action(async (sheet: string | undefined, options: VerifyOptions) => {
      if (sheet !== undefined) return verifySheet(terminal, options, sheet);
      const { against } = options;
      const key = keyFor(terminal, options);
      const identities = await identitiesFor(terminal, options);
      const elsewhere = against === undefined ? nowhere : await keptElsewhere(against, identities);
      const kept = [
        ...(key ? (readKeptHeads(headsFileOf(key.file))?.values() ?? []) : []),
        ...elsewhere.heads,
      ];
      await withDatabase(terminal, options, async (database) => {
        const sealedUntil = await mustBeSealedUntil(database);
        const wanted = new Set(elsewhere.hashes);
        const firms: Standing[] = [];
        for (const firmId of await firmIdsOf(database, options.firm, kept)) {
          const evidence = { publicKey: key?.publicKey, wanted, kept: keptOf(kept, firmId) };
          firms.push(await verifyChain(database, firmId, sealedUntil, evidence));
        }
        const isContinued = wanted.size === 0 && !firms.some(({ firstBad }) => firstBad);
        const held = against !== undefined && isContinued ? [continues(against, elsewhere)] : [];
        print(terminal, options, { firms }, [...firms.flatMap(linesOn), ...held]);
        refuseMisfits(firms, [...wanted]);
      });
    });

type VerifyOptions = CommonOptions & { against?: string; identity?: string };

const nowhere: KeptElsewhere = { heads: [], hashes: [] };

const keptOf = (kept: KeptHead[], firmId: string) => kept.filter((one) => one.firmId === firmId);

const continues = (against: string, { heads }: KeptElsewhere) =>
  heads.length > 0
    ? `Every log continues what ${against} has of it (${heads.length === 1 ? '1 head' : `${heads.length} heads`}).`
    : `A log continues the head ${against}.`;

const refuseMisfits = (firms: Standing[], missing: string[]) => {
  const misfits = firms.filter(({ firstBad }) => firstBad).length;
  if (misfits > 0) {
    throw new Refusal(
      'conflict',
      `The audit log of ${misfits === 1 ? '1 firm' : `${misfits} firms`} does not fit its seals. Compare with a backup or an earlier export, and find out who could write to the database.`,
    );
  }
  if (missing.length > 0) {
    throw new Refusal(
      'conflict',
      `No log has the head ${missing[0]}: it is of another database, or the log was cut off or rewritten since. Compare with a backup or an earlier export.`,
    );
  }
};

/**
 * Firms that only the log or a kept head knows are verified too: that reveals a change of an
 * entry's firm.
 */
const firmIdsOf = async (database: Database, firm: string | undefined, kept: KeptHead[]) => {
  if (firm !== undefined) return [(await findFirm(database, firm)).id];
  const known = (await listFirms(database)).map(({ id }) => id);
  const named = kept.map(({ firmId }) => firmId);
  return [...new Set([...known, ...(await firmsOfLog(database)), ...named])];
};

const linesOn = ({ firmId, entries, sealed, unsealed, head, signed, firstBad }: Standing) => {
  if (firstBad) {
    const { id, recordKind, recordId, what, explanation } = firstBad;
    const record = recordKind ? ` about ${recordKind} ${recordId}` : '';
    return [`${firmId}: ${what}: entry ${id ?? '(unknown)'}${record}. ${explanation}`];
  }
  const counts = `${entries} entries, ${sealed} sealed, ${unsealed} not yet`;
  return [
    `${firmId}: ${counts}; all fit. Head: ${head ?? 'none yet'}`,
    ...signed.map(
      ({ key, isOurs, seals, signedAt }) =>
        `  Signed up to seal ${seals} at ${signedAt} by ${isOurs ? 'this installation' : 'another installation'}, key ${key}`,
    ),
    ...(signed.length === 0 && head ? ['  Not signed by any installation.'] : []),
  ];
};

const headCommand = (audit: Command, terminal: Terminal) =>
  withCommonOptions(audit.command('head'))
    .description("print the end of each firm's log; kept elsewhere, it proves all before it")
    .option(...allLogs)
    .addHelpText('after', '\nExample:\n  matterhorn audit head > heads-2026-11-21.txt')
    .action((options: CommonOptions) =>
      withDatabase(terminal, options, async (database) => {
        const firmIds = await firmIdsOf(database, options.firm, []);
        const heads = await Promise.all(firmIds.map((firmId) => headOf(database, firmId)));
        const firms = heads.filter((head) => head !== undefined);
        const rows = firms.map(({ firmId, seals, hash, signature }) => [
          ...[firmId, seals, hash, signature ? signature.seals : 'no'],
          signature ? fingerprintOf(signature.publicKey) : '',
        ]);
        const heading = ['FIRM', 'SEALS', 'HEAD', 'SIGNED UP TO', 'BY KEY'];
        print(terminal, options, { firms }, table(heading, rows, 'Nothing is sealed yet.'));
      }),
    );

const keyCommand = (audit: Command, terminal: Terminal) =>
  withCommonOptions(audit.command('key'))
    .description('print the fingerprint and the public key that logs and backups are signed with')
    .option('--new', 'make one, where the file of the key is missing')
    .option('--old <file>', 'the key before: what it sealed is sealed anew with the present key')
    .addHelpText('after', '\nExample:\n  matterhorn audit key')
    .action(async (options: CommonOptions & { new?: boolean; old?: string }) => {
      const file = keyFileFor(terminal, options);
      if (file === undefined)
        throw new Refusal('conflict', `This installation has no key. ${setKey}`);
      const found = keyFor(terminal, options);
      if (found && options.new) {
        throw new Refusal('conflict', `There is a key in ${file} already. Move it away first.`);
      }
      const former = options.old === undefined ? undefined : formerKey(options.old);
      const key = found ?? (options.new ? makeKey(file) : undefined);
      if (!key) {
        throw new Refusal(
          'conflict',
          `There is no key in ${file} yet. The server makes it when it starts; where it was lost, make another with --new.`,
        );
      }
      const { publicKey } = key;
      const fingerprint = fingerprintOf(publicKey);
      const sealed =
        former &&
        (await withDatabase(terminal, options, async (database) => ({
          sealed: await sealStored(database, key, former),
          mailSealed: await resealAccounts(database, key, former),
          webhooksSealed: await sealWebhooks(database, key, former),
          certificatesSealed: await resealCertificates(database, key, former),
        })));
      print(terminal, options, { fingerprint, publicKey, file, ...sealed }, [
        `Fingerprint  ${fingerprint}`,
        `Public key   ${publicKey}`,
        `Its file     ${file}`,
        ...(sealed
          ? [
              `Second factors sealed anew: ${sealed.sealed}. Restart every server now.`,
              `Sign-ins of mail servers sealed anew: ${sealed.mailSealed}.`,
              `Secrets of webhooks sealed anew: ${sealed.webhooksSealed}.`,
              `Private keys of certificates sealed anew: ${sealed.certificatesSealed}.`,
            ]
          : []),
      ]);
    });

const formerKey = (file: string) => {
  const key = readInstallationKey(file);
  if (key) return key;
  throw new Refusal('conflict', `There is no key in ${file}. Name the file of the key before.`);
};
