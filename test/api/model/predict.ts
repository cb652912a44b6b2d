/** What each call must do to the firm in memory, and what it must answer. */
import {
  type AnyRecord,
  type Area,
  type AuditLine,
  type Contact,
  type Field,
  fieldsOn,
  hidingLead,
  isClient,
  type Kind,
  type Lead,
  type Matter,
  type Member,
  type ModelFirm,
  nameParts,
  type Stage,
  type Type,
  type Values,
  visible,
} from './firm.ts';
import { isShapely } from './shape.ts';

export type Call =
  | { action: 'create'; kind: Kind; body: Values }
  | { action: 'update'; kind: Kind; id: string; body: Values }
  | { action: 'read'; kind: Kind; id: string }
  | { action: 'delete'; kind: Kind; id: string }
  | { action: 'list'; kind: Kind; limit: number; offset: number; practiceAreaId: string };

/** The refusals of the contract, as status and code. */
export type Refused = { status: number; code: string };

export type Expected =
  | Refused
  | { made: AnyRecord }
  | { changed: AnyRecord; isChange: boolean }
  | { found: AnyRecord }
  | { deletedId: string }
  | { page: AnyRecord[]; total: number };

const refuse = (status: number, code: string) => ({ status, code });
const malformed = () => refuse(400, 'invalid_request');
const missing = () => refuse(404, 'not_found');

/** Throws what is refused: `predict` gives it. */
const must: (holds: unknown, refusal: Refused) => asserts holds = (holds, refusal) => {
  if (!holds) throw refusal;
};

export const predict = (firm: ModelFirm, member: Member, call: Call): Expected => {
  try {
    return act(firm, member, call);
  } catch (refusal) {
    if (typeof (refusal as Refused).status === 'number') return refusal as Refused;
    throw refusal;
  }
};

const act = (firm: ModelFirm, member: Member, call: Call): Expected => {
  const { kind } = call;
  if (call.action === 'list') return list(firm, member, call);
  if (call.action === 'create') {
    must(isShapely(kind, 'create', call.body), malformed());
    const made = creators[kind](firm, call.body, member);
    (firm[kind] as AnyRecord[]).push(made);
    firm.audit.push(['create', auditKind[kind], made]);
    return { made };
  }
  const found = visible(firm, kind, member).find(({ id }) => id === call.id);
  must(found, missing());
  if (call.action === 'read') return { found };
  if (call.action === 'delete') {
    found.isDeleted = true;
    firm.audit.push(['delete', auditKind[kind], found]);
    return { deletedId: found.id };
  }
  must(isShapely(kind, 'update', call.body), malformed());
  const lines = firm.audit.length;
  const isChange = updaters[kind](firm, found as never, call.body, member);
  // Changes of stages alone have their own entries, and none of the practice area.
  if (isChange && kind !== 'practice-areas') firm.audit.push(['update', auditKind[kind], found]);
  return { changed: found, isChange: isChange || firm.audit.length > lines };
};

export const auditKind: Record<Kind, string> = {
  contacts: 'contact',
  leads: 'lead',
  matters: 'matter',
  'practice-areas': 'practice_area',
  'matter-types': 'matter_type',
};

const list = (
  firm: ModelFirm,
  member: Member,
  { kind, limit, offset, practiceAreaId }: Call & { action: 'list' },
): Expected => {
  must(limit >= 1 && limit <= 100 && offset >= 0, malformed());
  let all = visible(firm, kind, member).reverse();
  if (kind === 'matter-types') {
    const area = areaOf(firm, practiceAreaId);
    all = all.filter((one) => (one as Type).area === area);
  }
  return { page: all.slice(offset, offset + limit), total: all.length };
};

const fresh = () => ({ id: '', createdAt: '', updatedAt: '', isDeleted: false });

const alive = <One extends AnyRecord>(all: One[], id: unknown): One => {
  const found = all.find((one) => one.id === id && !one.isDeleted);
  must(found, missing());
  return found;
};

const areaOf = (firm: ModelFirm, id: unknown) => alive(firm['practice-areas'], id);

const trimmed = (text: unknown) => String(text ?? '').trim() || null;

/** Lays name parts over those that stand, and holds them to a person's or company's need of a name. */
const named = (body: Values, standing: Values): Values => {
  const parts: Values = { type: body.type ?? standing.type };
  for (const field of nameParts) {
    parts[field] = body[field] === undefined ? (standing[field] ?? null) : trimmed(body[field]);
  }
  const isNamed =
    parts.type === 'COMPANY' ? parts.companyName : (parts.firstName ?? parts.lastName);
  must(isNamed, malformed());
  return parts;
};

/** Addresses or numbers as stored: texts become objects, one of them is primary. */
const addressesOf = (field: string, sent: unknown): object[] => {
  const entries = (sent as (string | Values)[]).map((one) =>
    typeof one === 'string' ? { [field]: one } : one,
  );
  const primary = Math.max(
    0,
    entries.findIndex((one) => one.isPrimary === true),
  );
  return entries.map((one, index) => {
    const text = trimmed(one[field]);
    must(text, malformed());
    return { [field]: text, label: trimmed(one.label), isPrimary: index === primary };
  });
};

type Carries = (value: unknown, field: Field, firm: ModelFirm, member: Member) => boolean;

const carries: Record<string, Carries> = {
  TEXT: (value) => typeof value === 'string' && value.length <= 4_096,
  NUMBER: (value) => typeof value === 'number',
  SELECT: (value, { options }) => options.includes(value as string),
  CONTACT: (value, _, firm, member) =>
    visible(firm, 'contacts', member).some(({ id }) => id === value),
  MATTER: (value, _, firm) => firm.matters.some((one) => one.id === value && !one.isDeleted),
};

/** Custom field values merged key by key. */
const merged = (
  firm: ModelFirm,
  kind: Kind,
  body: Values,
  standing: Values,
  member: Member,
): Values => {
  const values = { ...standing };
  for (const [name, value] of Object.entries((body.customFields ?? {}) as Values)) {
    const field = fieldsOn(firm, kind).find((one) => one.name === name);
    const isRight = field && field.type !== 'FILE';
    must(
      isRight && (value === null || carries[field.type]?.(value, field, firm, member)),
      refuse(400, 'invalid_custom_field'),
    );
    if (value === null) delete values[name];
    else values[name] = value;
  }
  return values;
};

const numbered = (letter: string, made: unknown[]) =>
  `${letter}-${String(made.length + 1).padStart(4, '0')}`;

const leadStageOf = (firm: ModelFirm, id: unknown): string => {
  const found = firm.leadStages.find((one) => one.id === id);
  must(found, missing());
  return found.id;
};

const newStage = (name: unknown): Stage => ({ id: '', name: String(name).trim() });

const isStageOfAny = (firm: ModelFirm, id: unknown) =>
  firm['practice-areas'].some(({ stages }) => stages.some((stage) => stage.id === id));

/** A stage within a practice area: unknown is 404, another area's is 400. */
const stageOf = (firm: ModelFirm, area: Area, id: unknown): Stage => {
  must(isStageOfAny(firm, id), missing());
  const found = area.stages.find((stage) => stage.id === id);
  must(found, malformed());
  return found;
};

const creators: Record<Kind, (firm: ModelFirm, body: Values, member: Member) => AnyRecord> = {
  contacts: (firm, body, member): Contact => ({
    ...fresh(),
    parts: named(body, { type: 'PERSON' }),
    emails: addressesOf('address', body.emails ?? []),
    phones: addressesOf('number', body.phones ?? []),
    values: merged(firm, 'contacts', body, {}, member),
  }),

  leads: (firm, body, member): Lead => {
    const email = trimmed(body.email);
    const phone = trimmed(body.phone);
    const contact: Contact = {
      ...fresh(),
      parts: named(body, { type: 'PERSON' }),
      values: {},
      emails: addressesOf('address', email ? [email] : []),
      phones: addressesOf('number', phone ? [phone] : []),
    };
    const area = body.practiceAreaId === undefined ? null : areaOf(firm, body.practiceAreaId);
    const first = firm.leadStages[0]?.id;
    const isPrivate = body.isPrivate === true;
    const made = {
      ...fresh(),
      contact,
      area,
      isPrivate,
      value: (body.value ?? null) as string | null,
      stageId: leadStageOf(firm, body.leadStageColumnId ?? first),
      assignees: new Set(isPrivate ? [member.id] : []),
      values: merged(firm, 'leads', body, {}, member),
      number: numbered('L', firm.leads),
    };
    firm.contacts.push(contact);
    firm.audit.push(['create', 'contact', contact]);
    return made;
  },

  matters: (firm, body, member): Matter => {
    const area = areaOf(firm, body.practiceAreaId);
    const ids = new Set((body.clientContactIds ?? []) as string[]);
    const clients = [...ids].map((id) => alive(visible(firm, 'contacts', member) as Contact[], id));
    const team = new Map<string, object>();
    for (const { memberId, role = 'RESPONSIBLE_ATTORNEY', allocation = 0 } of (body.team ??
      []) as Values[]) {
      const found = firm.members.find(({ id }) => id === memberId);
      must(found, missing());
      const part = `${memberId} ${role}`;
      if (!team.has(part)) team.set(part, { memberId, role, allocation, name: found.name });
    }
    const stage =
      body.practiceAreaStageColumnId === undefined
        ? area.stages[0]
        : stageOf(firm, area, body.practiceAreaStageColumnId);
    must(stage, malformed());
    const { description = null, closeDate = null, solDate = null, status = 'ACTIVE' } = body;
    const plain = { title: trimmed(body.title) ?? 'Untitled matter', openDate: body.openDate };
    const values = merged(firm, 'matters', body, {}, member);
    // A contact that becomes a client is no longer hidden.
    for (const client of clients) {
      if (hidingLead(firm, client)) firm.audit.push(['update', 'contact', client]);
    }
    return {
      ...fresh(),
      area,
      stage,
      clients,
      team: [...team.values()],
      plain: { ...plain, description, closeDate, solDate, status } as Matter['plain'],
      values,
      number: numbered('M', firm.matters),
    };
  },

  'practice-areas': (firm, body): Area => {
    const stages = ((body.stages ?? []) as Values[]).map(({ name }) => newStage(name));
    for (const stage of stages) firm.audit.push(['create', 'stage', stage]);
    return { ...fresh(), name: String(body.name).trim(), stages };
  },

  'matter-types': (firm, body): Type => ({
    ...fresh(),
    area: areaOf(firm, body.practiceAreaId),
    name: String(body.name).trim(),
  }),
};

/** Sets what differs, and says whether anything did. */
const assign = <One extends object>(record: One, fields: Partial<One>): boolean => {
  const differs = Object.entries(fields).some(
    ([field, value]) => !Bun.deepEquals(record[field as keyof One], value),
  );
  Object.assign(record, fields);
  return differs;
};

const updaters: {
  [Name in Kind]: (firm: ModelFirm, record: never, body: Values, member: Member) => boolean;
} = {
  contacts: (firm, contact: Contact, body, member) => {
    const fields = {
      parts: named(body, contact.parts),
      emails: body.emails ? addressesOf('address', body.emails) : contact.emails,
      phones: body.phones ? addressesOf('number', body.phones) : contact.phones,
      values: merged(firm, 'contacts', body, contact.values, member),
    };
    return assign(contact, fields);
  },

  leads: (firm, lead: Lead, body, member) => {
    const { practiceAreaId = lead.area?.id ?? null } = body;
    const stays = practiceAreaId === (lead.area?.id ?? null);
    const moved = practiceAreaId === null ? null : stays ? lead.area : areaOf(firm, practiceAreaId);
    const stageId = leadStageOf(firm, body.leadStageColumnId ?? lead.stageId);
    must(!lead.contact.isDeleted, refuse(409, 'conflict'));
    const isPrivate = (body.isPrivate ?? lead.isPrivate) as boolean;
    const values = merged(firm, 'leads', body, lead.values, member);
    const { value = lead.value } = body as { value?: string | null };
    if (isPrivate && !lead.isPrivate) lead.assignees.add(member.id);
    if (isPrivate !== lead.isPrivate && !isClient(firm, lead.contact)) {
      firm.audit.push(['update', 'contact', lead.contact]);
    }
    const isMoved = moved !== lead.area;
    lead.area = moved;
    return assign(lead, { stageId, isPrivate, value, values }) || isMoved;
  },

  matters: (firm, matter: Matter, body, member) => {
    const { practiceAreaId = matter.area.id, practiceAreaStageColumnId } = body;
    const area = practiceAreaId === matter.area.id ? matter.area : areaOf(firm, practiceAreaId);
    const sent = practiceAreaStageColumnId ?? (area === matter.area ? matter.stage.id : undefined);
    must(sent !== undefined, malformed());
    const stage = stageOf(firm, area, sent);
    const plain = { ...matter.plain };
    for (const field of Object.keys(plain) as (keyof Matter['plain'])[]) {
      if (body[field] !== undefined) plain[field] = body[field] as string;
    }
    if (body.title !== undefined) plain.title = trimmed(body.title) ?? 'Untitled matter';
    const values = merged(firm, 'matters', body, matter.values, member);
    const isMoved = stage !== matter.stage;
    Object.assign(matter, { area, stage });
    return assign(matter, { plain, values }) || isMoved;
  },

  'practice-areas': (firm, area: Area, body) => {
    const name = body.name === undefined ? area.name : String(body.name).trim();
    const lines: AuditLine[] = name === area.name ? [] : [['update', 'practice_area', area]];
    if (body.stages !== undefined) {
      const wanted = wantedStages(area, body.stages as Values[]);
      const dropped = area.stages.filter((stage) => !wanted.some(({ was }) => was === stage));
      const isHeld = firm.matters.some((one) => !one.isDeleted && dropped.includes(one.stage));
      must(!isHeld, refuse(409, 'conflict'));
      const stages = wanted.map(({ was, name }, place) => {
        const stage = was ?? newStage(name);
        const isKept = was && was.name === name && area.stages.indexOf(was) === place;
        if (!isKept) lines.push([was ? 'update' : 'create', 'stage', stage]);
        return Object.assign(stage, { name });
      });
      for (const stage of dropped) lines.push(['delete', 'stage', stage]);
      area.stages = stages;
    }
    area.name = name;
    firm.audit.push(...lines);
    return false;
  },

  'matter-types': (_, type: Type, body) =>
    assign(type, body.name === undefined ? {} : { name: String(body.name).trim() }),
};

/** The new list of stages, each with the one it was: an unknown id is 404, one sent twice 400. */
const wantedStages = (area: Area, sent: Values[]) => {
  const left = new Set(area.stages);
  return sent.map(({ id, name }) => {
    const was = id === undefined ? undefined : area.stages.find((stage) => stage.id === id);
    must(id === undefined || was, missing());
    must(!was || left.delete(was), malformed());
    return { was, name: String(name).trim() };
  });
};
