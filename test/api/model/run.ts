/** Runs a command on a real firm and on the one in memory, and compares every answer. */
import { expect } from 'bun:test';
import { unknownId } from '../../support/expectations.ts';
import type { Answer, Caller } from '../../support/firm.ts';
import type { Command, Pick } from './commands.ts';
import {
  type AnyRecord,
  type Area,
  full,
  type Kind,
  kinds,
  type Lead,
  type Member,
  type ModelFirm,
  row,
  type Values,
} from './firm.ts';
import { type Call, type Expected, predict } from './predict.ts';

/** A real firm with the keys of its members, and the same firm in memory. */
export type Pair = { model: ModelFirm; callers: { member: Member; caller: Caller }[] };

export const runCommand = async (pairs: Pair[], command: Command) => {
  if (command.do === 'nothing') return;
  const pair = pairs[command.firm];
  const other = pairs[1 - command.firm];
  const by = pair?.callers[command.by];
  if (!pair || !other || !by) throw new Error('The command names no such caller.');
  const call = callOf(command, pair.model, other.model);
  await runCall(pair.model, by, call);
};

const runCall = async (model: ModelFirm, by: Pair['callers'][number], call: Call) => {
  const answer = await sendCall(by.caller, call);
  const expected = predict(model, by.member, call);
  compare(model, call, expected, answer);
  if (call.action === 'create' && call.kind === 'leads' && 'made' in expected) {
    await meetContact(by.caller, model, expected.made as Lead);
  }
};

/** At the end of a sequence: every list of every member, to the last record, and the audit log. */
export const compareAll = async (pairs: Pair[], auditOf: (of: Pair) => Promise<string[]>) => {
  for (const pair of pairs) {
    const { model } = pair;
    for (const [place, by] of pair.callers.entries()) {
      for (const kind of place === 0 ? kinds : (['leads', 'contacts'] as const)) {
        for (const area of kind === 'matter-types' ? model['practice-areas'] : [{ id: '' }]) {
          const whole = { limit: 100, offset: 0, practiceAreaId: area.id };
          await runCall(model, by, { action: 'list', kind, ...whole });
        }
      }
    }
    const lines = model.audit.map(([action, kind, { id }]) => `${action} ${kind} ${id}`);
    expect((await auditOf(pair)).sort()).toEqual(lines.sort());
  }
};

/** The id for a pick. Stages are mostly those of the present practice area. */
const idOf = ({ pick, of, at }: Pick, own: ModelFirm, other: ModelFirm, near?: Area): string => {
  if (of === 'nobody') return unknownId;
  const firm = of === 'own' ? own : other;
  const all: { id: string }[] =
    pick === 'stages'
      ? near && at % 8 !== 0 && of === 'own'
        ? near.stages
        : firm['practice-areas'].flatMap(({ stages }) => stages)
      : pick === 'lead-stages'
        ? firm.leadStages
        : firm[pick];
  // Practice areas live long and are few: the first ones are met more often.
  return all[at % Math.max(1, all.length)]?.id ?? unknownId;
};

const isPick = (value: unknown): value is Pick =>
  typeof value === 'object' && value !== null && 'pick' in value;

const callOf = (
  command: Exclude<Command, { do: 'nothing' }>,
  own: ModelFirm,
  other: ModelFirm,
): Call => {
  const { kind } = command;
  const id = 'id' in command ? idOf(command.id, own, other) : '';
  const resolve = (value: unknown, near?: Area): unknown => {
    if (isPick(value)) return idOf(value, own, other, near);
    if (Array.isArray(value)) return value.map((one) => resolve(one, near));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolve(one, near)]));
  };
  const bodyOf = (body: Values) => {
    const areaId = isPick(body.practiceAreaId) ? idOf(body.practiceAreaId, own, other) : undefined;
    const standing = own.matters.find((one) => one.id === id)?.area.id ?? id;
    const near = own['practice-areas'].find((one) => one.id === (areaId ?? standing));
    return resolve(body, near) as Values;
  };
  switch (command.do) {
    case 'create':
      return { action: 'create', kind, body: bodyOf(command.body) };
    case 'update':
      return { action: 'update', kind, id, body: bodyOf(command.body) };
    case 'list': {
      const { limit, offset, area } = command;
      return { action: 'list', kind, limit, offset, practiceAreaId: idOf(area, own, other) };
    }
    default:
      return { action: command.do, kind, id };
  }
};

const sendCall = (caller: Caller, call: Call): Promise<Answer> => {
  const path = `/v1/${call.kind}`;
  switch (call.action) {
    case 'create':
      return caller.post(path, call.body);
    case 'update':
      return caller.patch(`${path}/${call.id}`, call.body);
    case 'read':
      return caller.get(`${path}/${call.id}`);
    case 'delete':
      return caller.delete(`${path}/${call.id}`);
    case 'list': {
      const area = call.kind === 'matter-types' ? `&practiceAreaId=${call.practiceAreaId}` : '';
      return caller.get(`${path}?limit=${call.limit}&offset=${call.offset}${area}`);
    }
  }
};

const compare = (model: ModelFirm, call: Call, expected: Expected, answer: Answer) => {
  const { kind } = call;
  const { status, body } = answer;
  const same = (wanted: { status: number; body: unknown }) =>
    expect({ call, status, body }).toEqual({ call, ...wanted });
  const one = (record: AnyRecord, code: number) =>
    same({ status: code, body: { data: full(model, kind, record) } });
  if ('code' in expected) {
    const error = { code: expected.code, message: expect.any(String) };
    return same({ status: expected.status, body: { error } });
  }
  if ('page' in expected && call.action === 'list') {
    const { limit, offset } = call;
    const data = expected.page.map((record) => row(kind, record));
    return same({
      status: 200,
      body: { data, pagination: { limit, offset, total: expected.total } },
    });
  }
  if ('deletedId' in expected) {
    return same({ status: 200, body: { data: { id: expected.deletedId, deleted: true } } });
  }
  if ('found' in expected) return one(expected.found, 200);
  if ('made' in expected) {
    if (status === 201) takeOver(model, kind, expected.made, body.data);
    return one(expected.made, 201);
  }
  if ('changed' in expected) {
    if (status === 200) takeChange(expected.changed, expected.isChange, body.data);
    return one(expected.changed, 200);
  }
};

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Takes over what only the server knows of a new record, as far as it is right. */
const takeOver = (model: ModelFirm, kind: Kind, made: AnyRecord, data: Values) => {
  const { id, createdAt } = data as Record<string, string>;
  const all = model[kind] as AnyRecord[];
  expect(createdAt).toMatch(moment);
  expect(all.every((one) => one.id !== id && one.createdAt <= String(createdAt))).toBe(true);
  Object.assign(made, { id, createdAt, updatedAt: createdAt });
  if (kind === 'leads') (made as Lead).contact.id = (data.contact as { id: string }).id;
  if (kind === 'practice-areas') nameStages(made as Area, data);
};

const takeChange = (changed: AnyRecord, isChange: boolean, data: Values) => {
  if ('stages' in changed) nameStages(changed, data);
  if (!isChange) return;
  expect(data.updatedAt).toMatch(moment);
  expect(String(data.updatedAt) >= changed.updatedAt).toBe(true);
  changed.updatedAt = String(data.updatedAt);
};

const nameStages = (area: Area, data: Values) => {
  for (const [place, stage] of area.stages.entries()) {
    if (stage.id === '') stage.id = (data.stages as { id: string }[])[place]?.id ?? '';
  }
};

/** The contact that came with a lead is read once, for its moments. */
const meetContact = async (caller: Caller, model: ModelFirm, { contact }: Lead) => {
  const call = { action: 'read', kind: 'contacts', id: contact.id } as const;
  const answer = await sendCall(caller, call);
  const { createdAt } = answer.body.data ?? {};
  expect(createdAt).toMatch(moment);
  Object.assign(contact, { createdAt, updatedAt: createdAt });
  compare(model, call, { found: contact }, answer);
};
