/**
 * What a database of DATABASE_URL knows of an upgrade: a comment on the table of its migrations, so that it
 * is set and removed in the transaction that changes the data. While an upgrade is under way, only the
 * servers of it may use the database.
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { sql } from 'drizzle-orm';
import { Refusal } from '../base/refusal.ts';
import type { LastUpgrade } from './embedded/before-upgrade.ts';
import type { Session } from './session.ts';
import { type Given, statement } from './statement.ts';

/** An upgrade that has begun. The data as it was before lies in `folder`, on one machine. */
export type OutsideUpgrade = {
  id: string;
  from: string;
  to: string;
  begunAt: string;
  folder: string;
  machine: Machine;
};

/** A machine by its name for people, and by systemd's number for it. */
type Machine = { name: string; id: string };

/** `leftBehind` is the folder of an upgrade that has ended, until it is removed. */
export type UpgradeMark = {
  upgrade?: OutsideUpgrade;
  leftBehind?: Pick<OutsideUpgrade, 'folder' | 'machine'>;
  last?: LastUpgrade;
};

/** Reads the mark; an empty one if there is none. */
export const markIn = async (session: Session): Promise<UpgradeMark> => {
  const { text } = (await session.first(comment)) ?? {};
  try {
    return (JSON.parse(text ?? '{}') as { upgrades?: UpgradeMark }).upgrades ?? {};
  } catch {
    return {}; // Somebody else's comment.
  }
};

/** Replaces the mark, as the owner of the tables. */
export const setMark = async (session: Session, mark: UpgradeMark): Promise<void> => {
  const text = JSON.stringify({ upgrades: mark });
  const { command } = (await session.first(setting, { text })) ?? {};
  if (command) await session.command(command);
};

/** This machine. */
export const thisMachine = (): Machine => {
  const name = hostname();
  try {
    return { name, id: readFileSync('/etc/machine-id', 'utf8').trim() };
  } catch {
    return { name, id: '' }; // This is not Linux.
  }
};

export const isThisMachine = ({ name, id }: Machine): boolean => {
  const here = thisMachine();
  return here.name === name && here.id === id;
};

/**
 * Throws `Refusal` while an upgrade is under way that this process is no part of: what it stores now could be
 * put back.
 */
export const refuseDuringUpgradeOf = async (session: Session, own?: string): Promise<void> => {
  const { upgrade } = await markIn(session);
  if (upgrade && upgrade.id !== own) throw underWay(upgrade);
};

/** The refusal of everything else while an upgrade is under way. */
export const underWay = ({ from, to, machine }: OutsideUpgrade) =>
  new Refusal(
    'unavailable',
    `An upgrade from ${from} to ${to} is under way on the machine ${machine.name}, or was interrupted. Wait for its end; if it does not run, start the server there or run \`matterhorn upgrade\` there, which finish it or go back.`,
  );

const comment = statement(
  () => sql<{ text: string | null }>`
    select obj_description(to_regclass('drizzle.__drizzle_migrations'), 'pg_class') as text`,
);

const setting = statement(
  ({ text }: Given<'text'>) => sql<{ command: string }>`
    select format('comment on table drizzle.__drizzle_migrations is %L', ${text}::text) as command`,
);
