/** Clients of several firms that change records at any of the servers, and write down what they were told. */
import { type Answer, caller } from '../../support/firm.ts';
import { chanceOf } from '../../support/random.ts';
import { type Asked, openAsked } from './asking.ts';
import type { FirmOfClients, Known } from './firms.ts';
import type { Laboratory } from './laboratory.ts';

export type Work = Pick<Asked, 'broken' | 'statuses' | 'counts' | 'slowestMilliseconds'> & {
  firms: FirmOfClients[];
  /** Writes acknowledged; answers that named another firm, were stale, or gave a repeat another record. */
  tally: { writes: number; foreign: number; stale: number; twice: number };
  /** Takes no new work; repeats until everything begun is acknowledged. */
  finish(): Promise<void>;
};

const clientsOfBusyFirm = 3;
const patienceMilliseconds = 120_000;
const { random, happens, among } = chanceOf(Date.now());

/** Sets the firms' clients to work. `mayDrop`: whether a server may be gone when it is asked. */
export const startWork = (
  lab: Laboratory,
  firms: FirmOfClients[],
  options: { mayDrop: boolean },
): Work => {
  const asked = openAsked(options);
  const tally = { writes: 0, foreign: 0, stale: 0, twice: 0 };
  let isFinishing = false;

  /** Asks any of the servers until one answers. */
  const insist = async (
    firm: FirmOfClients,
    request: (by: ReturnType<typeof caller>) => Promise<Answer>,
    mayBeGone: (isRepeat: boolean) => boolean = () => false,
  ): Promise<Answer> => {
    const until = performance.now() + patienceMilliseconds;
    for (let attempt = 0; performance.now() < until; attempt += 1) {
      const by = caller(lab.anyUrl(), firm.owner.key);
      const answer = await asked.ask(() => request(by), attempt > 0, mayBeGone(attempt > 0));
      if (!answer) continue;
      const text = JSON.stringify([answer.body, ...answer.headers]);
      if (firms.some(({ marker }) => marker !== firm.marker && text.includes(marker)))
        tally.foreign += 1;
      return answer;
    }
    throw new Error('A request was never acknowledged.');
  };

  const create = async (firm: FirmOfClients, resource: Known['resource'], body: object) => {
    const headers = { 'idempotency-key': Bun.randomUUIDv7() };
    const post = () => insist(firm, (by) => by.post(`/v1/${resource}`, body, headers));
    const { body: made, headers: of } = await post();
    tally.writes += 1;
    if (happens(0.1) && (await post()).body.data.id !== made.data.id) tally.twice += 1;
    const isRepeat = of.get('idempotent-replayed') === 'true';
    const requestId = isRepeat ? undefined : (of.get('x-request-id') ?? '');
    return { data: made.data, requestId };
  };
  const keep = (firm: FirmOfClients, known: Known) => {
    if (firm.known.has(known.id)) tally.twice += 1;
    firm.known.set(known.id, known);
    return known;
  };
  const fresh = { isDeleted: false, updates: 0, timesArchived: 0, clients: [], team: [] };

  const createLead = async (firm: FirmOfClients) => {
    const token = `${firm.marker} ${Bun.randomUUIDv7()}`;
    const { data, requestId } = await create(firm, 'leads', {
      lastName: `Prospect ${token}`,
      isPrivate: happens(0.25),
      customFields: { Token: token },
    });
    const lead = { ...fresh, resource: 'leads' as const, id: data.id, token, requestId };
    return { known: keep(firm, lead), contactId: data.contact.id as string };
  };
  const createMatter = async (firm: FirmOfClients, clients: string[]) => {
    const title = `${firm.marker} ${Bun.randomUUIDv7()}`;
    const members = Object.values(firm.members);
    const team = [among(members), among(members)];
    const { data, requestId } = await create(firm, 'matters', {
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2026-02-03',
      title,
      clientContactIds: clients,
      team: team.map((memberId) => ({ memberId })),
    });
    const parts = { clients, team: [...new Set(team)] };
    const made = { ...fresh, ...parts, resource: 'matters' as const, id: data.id, requestId };
    return keep(firm, { ...made, token: title });
  };
  const change = async (firm: FirmOfClients, known: Known, body: object) => {
    await insist(firm, (by) => by.patch(`/v1/${known.resource}/${known.id}`, body));
    tally.writes += 1;
    known.updates += 1;
  };
  const rename = async (firm: FirmOfClients, known: Known) => {
    const token = `${firm.marker} ${Bun.randomUUIDv7()}`;
    const body = known.resource === 'leads' ? { customFields: { Token: token } } : { title: token };
    await change(firm, known, body);
    known.token = token;
  };
  const archive = async (firm: FirmOfClients, known: Known) => {
    await change(firm, known, { status: 'ARCHIVE' });
    known.timesArchived += 1;
    if (!happens(0.5)) return;
    await change(firm, known, { status: 'ACTIVE' });
  };
  const remove = async (firm: FirmOfClients, known: Known) => {
    const path = `/v1/${known.resource}/${known.id}`;
    // What was deleted by an attempt that seemed to fail is not there at the next.
    await insist(
      firm,
      (by) => by.delete(path),
      (isRepeat) => isRepeat,
    );
    tally.writes += 1;
    known.isDeleted = true;
  };
  const read = async (firm: FirmOfClients, known: Known) => {
    const path = `/v1/${known.resource}/${known.id}`;
    const { status, body } = await insist(
      firm,
      (by) => by.get(path),
      () => true,
    );
    const token = known.resource === 'leads' ? body.data?.customFields.Token : body.data?.title;
    if (known.isDeleted ? status !== 404 : token !== known.token) tally.stale += 1;
  };

  const busy = async (firm: FirmOfClients) => {
    while (!isFinishing) {
      const { known: lead, contactId } = await createLead(firm);
      const matter = await createMatter(firm, [contactId]);
      for (const known of [lead, matter]) {
        if (happens(0.5)) await rename(firm, known);
        await read(firm, known);
        if (happens(0.3) && known === matter) await archive(firm, known);
        if (happens(0.2)) await remove(firm, known);
        await read(firm, known);
      }
      await Bun.sleep(50 * random());
    }
  };
  const quiet = async (firm: FirmOfClients, seconds: number) => {
    while (!isFinishing) {
      await createLead(firm);
      const until = performance.now() + 1_000 * seconds * random();
      while (!isFinishing && performance.now() < until) await Bun.sleep(50);
    }
  };
  const running = Promise.all(
    firms.flatMap((firm) =>
      firm.quietSeconds > 0
        ? quiet(firm, firm.quietSeconds)
        : Array.from({ length: clientsOfBusyFirm }, () => busy(firm)),
    ),
  );
  running.catch((error) => asked.broken.push(String(error)));
  return {
    ...asked,
    firms,
    tally,
    async finish() {
      isFinishing = true;
      await running.catch(() => {});
    },
  };
};
