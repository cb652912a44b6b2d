import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { isTaken } from '../base/certificate-settings.ts';
import { Refusal } from '../base/refusal.ts';
import { readSettings, type Settings } from '../config.ts';
import { examineAddress } from '../doctor/address.ts';
import { examineBackups, examineData, examineDisk, examineOwner } from '../doctor/examine.ts';
import { type Finding, problem } from '../doctor/finding.ts';
import { examineMail, wordsOfMail } from '../doctor/mail.ts';
import { migrations } from '../doctor/questions.ts';
import { examineTaken, type TakenCertificate, wordsOfTaken } from '../doctor/taken.ts';
import { withCluster } from '../postgres/citus/database.ts';
import { nodesAway } from '../postgres/citus/nodes.ts';
import type { Address } from '../postgres/connection.ts';
import { type LastUpgrade, lastUpgradeIn } from '../postgres/embedded/before-upgrade.ts';
import { borrowEmbedded, directoryOf } from '../postgres/embedded/embedded.ts';
import { knownMigrations, migrationsTable, refuseUnfit } from '../postgres/migrate.ts';
import { openDatabase, type Runs } from '../postgres/pool.ts';
import { openSession } from '../postgres/session.ts';
import { markIn, refuseDuringUpgradeOf, type UpgradeMark } from '../postgres/upgrade-mark.ts';
import { keyFileFor } from './installation.ts';
import { sentenceOf } from './sentence.ts';
import {
  type Addresses,
  addressesOf,
  type CommonOptions,
  print,
  say,
  type Terminal,
  withCommonOptions,
} from './terminal.ts';

export const doctorCommand = (program: Command, terminal: Terminal) => {
  withCommonOptions(program.command('doctor'))
    .description('check everything an administrator would, and say what to do')
    .addHelpText('after', '\nExample:\n  matterhorn doctor')
    .action(async (options: CommonOptions) => {
      const {
        certificate,
        mail,
        lastUpgrade: last,
        ...found
      } = await examineAll(terminal, options);
      const findings = found.findings.map(({ level, what, do: todo }) => ({
        level,
        what,
        do: todo,
      }));
      const problems = findings.filter(({ level }) => level === 'problem').length;
      const lastUpgrade = last ?? null;
      const ok = problems === 0;
      print(terminal, options, { ok, findings, lastUpgrade, ...(certificate && { certificate }) }, [
        ...(certificate?.endsAt ? [wordsOfTaken(certificate)] : []),
        ...lines(findings),
        ...(mail === undefined ? [] : [mail]),
        ...(lastUpgrade ? [upgradeLine(lastUpgrade)] : []),
      ]);
      if (problems > 0) {
        const count = problems === 1 ? '1 problem' : `${problems} problems`;
        throw new Refusal('conflict', `The doctor found ${count}. Each says what to do.`);
      }
    });
};

const lines = (findings: Finding[]) =>
  findings.length === 0
    ? ['Everything is as it should be.']
    : findings.flatMap((one) => [`${one.level.padEnd(7)}  ${one.what}`, `         ${one.do}`]);

type Examined = {
  findings: Finding[];
  certificate?: TakenCertificate | undefined;
  /** Whether mail is set up, in a sentence. */
  mail?: string | undefined;
  lastUpgrade?: LastUpgrade | undefined;
};

const upgradeLine = ({ from, to, at, result, why }: LastUpgrade) =>
  result === 'upgraded'
    ? `Last upgrade: from ${from} to ${to}, ${at}.`
    : `Last upgrade: from ${from} to ${to}, ${at}. It went back to ${from} and its data: ${why}`;

/** Everything that is not as it should be. Changes nothing, not even an outdated schema. */
const examineAll = async (terminal: Terminal, options: CommonOptions): Promise<Examined> => {
  const settings = readSettings(terminal.environment);
  const keyFile = keyFileFor(terminal, options);
  const data = settings.database
    ? await examineDatabase(addressesOf(settings, undefined), settings, keyFile)
    : await examineEmbedded(terminal, options, settings, keyFile);
  const place = directoryOf(options.data);
  const isHere = !settings.database && existsSync(join(place, 'pgdata'));
  const backups = await examineBackups(settings, isHere ? place : undefined);
  const findings = [...data.findings, ...backups, ...(await examineAddress(settings))];
  const lastUpgrade = settings.database ? data.lastUpgrade : lastUpgradeIn(place);
  return { ...data, findings, lastUpgrade };
};

const examineEmbedded = async (
  terminal: Terminal,
  { data }: CommonOptions,
  settings: Settings,
  keyFile: string | undefined,
): Promise<Examined> => {
  const directory = directoryOf(data);
  if (!existsSync(join(directory, 'pgdata'))) {
    const todo =
      'Name the data directory with --data, set DATABASE_URL, or make it with `matterhorn serve`.';
    return { findings: [problem(`There is no data in ${data}.`, todo)] };
  }
  const disk = await examineDisk(directory);
  try {
    const embedded = await borrowEmbedded({
      dataDirectory: data,
      say: (sentence) => say(terminal, sentence),
    });
    try {
      const data = await examineDatabase(embedded, settings, keyFile);
      return { ...data, findings: [...disk, ...data.findings] };
    } finally {
      await embedded.stop();
    }
  } catch (error) {
    return { findings: [...disk, toBePutRight(error)] };
  }
};

const toBePutRight = (error: unknown) =>
  problem(sentenceOf(error), 'Correct this, then run `matterhorn doctor` again.');

const examineDatabase = async (
  { requests, owner }: Addresses,
  settings: Settings,
  keyFile: string | undefined,
): Promise<Examined> => {
  try {
    const { rights, lacks, lastUpgrade } = await examineSchema(owner);
    if (lacks.length > 0) return { findings: [...rights, ...lacks], lastUpgrade };
    const database = withCluster(openDatabase(requests, 2));
    try {
      const data = await examineData(database, { firmId: null, keyFile });
      const { tls } = settings;
      const mail = await examineMail(database, settings, null);
      const taken = isTaken(tls) ? await examineTaken(database, tls, keyFile) : undefined;
      const findings = [...rights, ...data, ...mail.findings, ...(taken?.findings ?? [])];
      return {
        findings,
        certificate: taken?.certificate,
        mail: wordsOfMail(settings, mail.isSet),
        lastUpgrade,
      };
    } finally {
      await database.close();
    }
  } catch (error) {
    return { findings: [toBePutRight(error)] };
  }
};

/**
 * Whether the owner may migrate, and what keeps everything else from being asked. Unlike the pool, a
 * session says why nobody answers.
 */
const examineSchema = async (owner: Address) => {
  const session = await openSession(owner);
  try {
    await refuseDuringUpgradeOf(session);
    const { last: lastUpgrade, leftBehind } = await markIn(session);
    await refuseUnfit(session);
    const rights = [
      ...(leftBehind ? [copyLeft(leftBehind)] : []),
      ...(await examineOwner(session)),
    ];
    const missing = await examineMigrations(session);
    const lacks = missing.length > 0 ? missing : (await nodesAway(session)).map(away);
    return { rights, lacks, lastUpgrade };
  } finally {
    await session.close();
  }
};

const copyLeft = ({ folder, machine }: NonNullable<UpgradeMark['leftBehind']>) =>
  problem(
    `The copy of the data from before the last upgrade is still in ${folder} on the machine ${machine.name}, and anybody who reads it reads everything.`,
    `Remove it there, as root: rm -r ${folder}. Then restart the server.`,
  );

/** While one is away, nothing can be asked of all firms. */
const away = (address: string) =>
  problem(
    `The database's node ${address} is away: its firms get 503, and the others are served.`,
    'Start its Postgres, or mend the network between it and the coordinator. Then run `matterhorn doctor` again for everything else.',
  );

/** Without these, nothing else can be asked. */
const examineMigrations = async (database: Runs): Promise<Finding[]> => {
  const known = await knownMigrations();
  const isMade = (await database.first(migrationsTable))?.name;
  const rows = isMade ? await database.run(migrations) : [];
  const applied = new Set(rows.map(({ when }) => Number(when)));
  const missing = known.filter((when) => !applied.has(when)).length;
  if (missing > 0) {
    const what = `The database lacks ${missing} of ${known.length} migrations.`;
    return [
      problem(what, 'Start the server with this version, `matterhorn serve`: it applies them.'),
    ];
  }
  return [];
};
