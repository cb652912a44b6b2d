/** @jsxImportSource preact */
import type { VNode } from 'preact';
import type { FoundRecordOfFirm } from '../../search/find.ts';
import type { foundTypes } from '../../search/wire.ts';
import { digitsOf } from '../../search-text/search-text.ts';
import type { TextSource } from '../../search-text/table.ts';
import { Icon, type IconName } from '../icon.tsx';
import { statusNames as ofLeads } from '../leads/words.tsx';
import { markup } from '../markup.ts';
import { statusNames as ofMatters } from '../matters/fields.tsx';
import type { Found } from './found.ts';
import { excerptOf, marked, markedPhone } from './marked.ts';

type Kind = (typeof foundTypes)[number];

const kinds: Record<Kind, { icon: IconName; path: string; name: string }> = {
  CONTACT: { icon: 'contact', path: '/contacts', name: 'Contact' },
  LEAD: { icon: 'funnel', path: '/leads', name: 'Lead' },
  MATTER: { icon: 'briefcase', path: '/matters', name: 'Matter' },
};

const sources: Record<TextSource, string> = {
  note: 'Note',
  task: 'Task',
  event: 'Event',
  description: 'Description',
};

/** The address of a record that was found. */
export const pathOf = ({ type, id }: { type: Kind; id: string }) => `${kinds[type].path}/${id}`;

/** Records of one person, the first of which stands for all of them. */
export type OfPerson = [FoundRecordOfFirm, ...FoundRecordOfFirm[]];

/**
 * The found records with those of one person together, each person where the best of theirs was found.
 * A contact stands for its leads and matters, unless the record with the searched number is one of them.
 */
export const byPerson = (rows: readonly FoundRecordOfFirm[], exact: boolean): OfPerson[] => {
  const people = new Map<string, OfPerson>();
  for (const row of rows) {
    const person = row.personId ?? row.id;
    const others = people.get(person);
    if (!others) people.set(person, [row]);
    else if (row.type === 'CONTACT' && !(exact && others[0] === rows[0])) others.unshift(row);
    else others.push(row);
  }
  return [...people.values()];
};

type Words = readonly string[];

/** What a record is called among the found ones: a lead of somebody who stands above it by its number. */
const titleOf = (row: FoundRecordOfFirm) => row.name ?? row.number ?? '';

const statuses: Record<string, string> = { ...ofMatters, ...ofLeads };

/** How a record ended that is no longer at its stage: `Hired`, `Archived`. */
const endOf = ({ status }: FoundRecordOfFirm) =>
  status === null || status === 'ACTIVE' ? undefined : statuses[status];

/** What is said of a matter that was found by this client. */
export const clientWords = (client: string) => `client ${client}`;

/** What is said of a record below its name. */
const factsOf = (row: FoundRecordOfFirm, words: Words): string[] => {
  const numbers = words.filter((word) => /^[0-9]{3,}$/.test(word));
  const phones = (row.phones ?? []).map(({ number }) => number);
  const emails = (row.emails ?? []).map(({ address }) => address);
  const phone = phones.find((one) => numbers.some((digits) => digitsOf(one).includes(digits)));
  return [
    [kinds[row.type].name, row.number].filter(Boolean).join(' '),
    row.area,
    endOf(row) ?? row.stage,
    phone ?? phones[0],
    row.type === 'CONTACT' ? emails[0] : undefined,
    row.isByClient ? (row.client ? clientWords(row.client) : 'found by its client') : undefined,
  ].filter((fact) => fact !== undefined && fact !== null);
};

/** The same for the palette, as text. */
export const suggestionOf = (row: FoundRecordOfFirm, words: Words): Found => {
  const { written, number } = row;
  const said = written && `${sources[written.source]}: ${excerptOf(written.text, words)}`;
  return {
    path: pathOf(row),
    name: titleOf(row),
    sub: [...factsOf(row, words).map((fact) => (isPhone(row, fact) ? unbroken(fact) : fact)), said]
      .filter(Boolean)
      .join(' · '),
    ...(number && { number }),
  };
};

/** The found records, those of one person below each other, with the searched words marked. */
export const Results = ({ people, words }: { people: OfPerson[]; words: Words }) =>
  markup`<ul class="rows">${people.map(([first, ...others]) => rowOf(first, words, others))}</ul>`;

const rowOf = (row: FoundRecordOfFirm, words: Words, others: FoundRecordOfFirm[] = []): VNode => {
  const name = titleOf(row);
  const facts = factsOf(row, words).map(
    (fact, at) =>
      markup`${at > 0 && ' · '}${isPhone(row, fact) ? markup`<span class="nowrap">${markedPhone(fact, words)}</span>` : marked(fact, words)}`,
  );
  const { written } = row;
  const said =
    written &&
    markup`<div class="sub">${sources[written.source]}: ${marked(excerptOf(written.text, words), words)}</div>`;
  const more =
    others.length > 0 &&
    markup`<ul class="rows of-person" aria-label="More of ${name}">${others.map((one) => rowOf(one, words))}</ul>`;
  return markup`<li>${Icon({ name: kinds[row.type].icon })}<div class="grow"><a class="name" href="${pathOf(row)}">${marked(name, words)}</a><div class="sub">${facts}</div>${said}${more}</div></li>`;
};

/** A number that is not cut by the end of a line. */
const unbroken = (number: string) => number.replaceAll(' ', '\u00a0');

const isPhone = ({ phones }: FoundRecordOfFirm, fact: string) =>
  phones?.some(({ number }) => number === fact) ?? false;
