/** The application's pages and forms: hostile fields, forged origins, wrong cookies, foreign ids. */
import { pages } from '../../../src/app/pages.ts';
import type { Page } from '../../../src/app/visit.ts';
import { chanceOf } from '../../support/random.ts';
import { runJson } from '../../support/terminal.ts';
import { promiseMemory, type Scene, statePace } from './scene.ts';
import type { MarkedFirm } from './stage.ts';

const clients = 12;
const longestInAddress = 4_000;
const password = 'wet-stones-by-the-river';
const maxBrokenKept = 20;

/** Forms that would take the attacker's own way in away; their refusals are tested elsewhere. */
const spared = [
  '/sign-out',
  '/settings/me/password',
  '/settings/me/sessions/end-others',
  '/settings/me/sessions/:id/end',
  '/settings/members/:id/deactivate',
];
/** The pages and forms that hostile clients may use. */
export const attacked = pages.filter(({ path }) => !spared.includes(path));

/** The flood of hostile pages and forms, and what is promised of every answer. */
export const hostileForms = async (
  scene: Scene,
  flood: { from: number; requests: number; seed: number },
) => {
  const { url, report, attacker, honest, pace, pings, seen, note } = scene;
  const attack = `${flood.requests} hostile pages and forms, seed ${flood.seed}`;
  const cookies = await cookiesOf(scene);
  note(await pace.take());
  await pings.take();
  seen.takePeak();
  const make = formMaker(flood.seed, cookies, attacker, honest);
  const court = openFormCourt(honest.marker);
  let next = flood.from;
  const client = async () => {
    while (next < flood.from + flood.requests) {
      const request = make(next);
      next += 1;
      const answer = await fetch(url + request.path, request.init).catch((error) => String(error));
      await court.judge(request, answer);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  report.detail(court.broken);
  const statuses = [...court.statuses].sort(([one], [other]) => one - other);
  report.state(attack, 'answers by status', statuses.map((pair) => pair.join(': ')).join(', '));
  for (const [promise, count] of Object.entries(court.offences)) {
    report.promise(attack, promise, count, count === 0);
  }
  statePace(scene, attack, await pace.take());
  await promiseMemory(scene, attack);
};

type Cookies = { owner: string; clerk: string };

/** Sessions of the attacker's two members, by invitations as the administrator hands them over. */
export const cookiesOf = async ({ databaseUrl, url, attacker }: Scene): Promise<Cookies> => {
  const cookieOf = async (member: string) => {
    const words = ['member', 'invite', '--firm', attacker.id, '--member', member];
    const { link } = await runJson<{ link: string }>(databaseUrl, words);
    const answer = await fetch(url + new URL(link).pathname, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ password }),
      headers: { 'sec-fetch-site': 'same-origin', accept: 'text/html' },
    });
    return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  };
  const [owner, clerk] = await Promise.all(
    ['owner', 'clerk'].map((name) => cookieOf(`${name}@${attacker.marker}.example`)),
  );
  if (!owner || !clerk) throw new Error('The attacker could not sign in.');
  return { owner, clerk };
};

type FormRequest = {
  index: number;
  page: Page;
  path: string;
  init: RequestInit;
  /** What must stand nowhere as markup. */
  mark: string;
  isForged: boolean;
  isSignedIn: boolean;
};

/** The names that forms have, and some that none has. */
const names = [
  ...['name', 'firstName', 'lastName', 'companyName', 'email', 'phone', 'text', 'title', 'value'],
  ...['to', 'do', 'answer', 'code', 'password', 'present', 'member', 'roleId', 'leadStageColumnId'],
  ...['was.name', 'was.value', 'practiceAreaId', 'assigneeIds', 'clientContactIds', 'kinds', 'id'],
  ...['emails[0].address', 'customFields.TEXT', '__proto__', 'constructor', 'permissions', 'token'],
  ...['timeZone', 'format', 'expires', 'day', 'dueOn', 'startsAt', 'view', 'query', 'content', ''],
];

const formMaker = (seed: number, cookies: Cookies, mine: MarkedFirm, theirs: MarkedFirm) => {
  const ids = [mine, theirs].map((firm) => Object.values(firm.ids).flat());
  return (index: number): FormRequest => {
    const chance = chanceOf(Math.imul(seed, 0x9e37_79b1) ^ Math.imul(index + 1, 0x85eb_ca6b));
    const { random, among: pick } = chance;
    const mark = `<zx${index}`;
    const texts = [
      `${mark} onerror=alert(1)>`,
      `"'>${mark} src=x>`,
      `</script>${mark}>`,
      `javascript:alert(1)//${mark}`,
      ...['', ' ', '\0', '\ud800', '‮gnp.exe', '🗻'.repeat(300), 'x'.repeat(20_000)],
      ...['-1', '1e999', '2026-02-31', '../../etc/passwd', "' or 1=1 --", '=1+1', '%00', 'on'],
      ...['//elsewhere.example/', '/\\elsewhere.example', `/${mark}`, 'null', '[]', '{"a":{}}'],
    ];
    const id = () => pick([pick(ids[0] ?? []), pick(ids[1] ?? []), Bun.randomUUIDv7(), 'x', mark]);
    const page = pick(attacked);
    const path = page.path.replaceAll(/:\w+/g, () => encodeURIComponent(id()));
    const query = new URLSearchParams();
    for (let count = Math.floor(random() * 4); count > 0; count -= 1) {
      query.append(pick(names), random() < 0.3 ? id() : pick(texts).slice(0, longestInAddress));
    }
    const cookie = pick([cookies.owner, cookies.owner, cookies.clerk, '', wrongCookie(pick, mark)]);
    const headers: Record<string, string> = {
      cookie,
      accept: pick(['text/html', 'text/html', 'application/json', '*/*', '']),
      ...(random() < 0.3 && { 'x-sent-by': pick(['page', 'island', 'nobody']) }),
    };
    const isForged = page.method === 'POST' && random() < 0.2;
    const init: RequestInit = { method: page.method, redirect: 'manual', headers };
    if (page.method === 'POST') {
      Object.assign(headers, isForged ? pick(forged) : { 'sec-fetch-site': 'same-origin' });
      const fields: [string, string][] = Array.from({ length: Math.floor(random() * 12) }, () => [
        pick(names),
        random() < 0.3 ? id() : pick(texts),
      ]);
      init.body = bodyOf(pick, fields, headers);
    }
    const isSignedIn = cookie === cookies.owner || cookie === cookies.clerk;
    const text = query.toString();
    return { index, page, path: `${path}${text && `?${text}`}`, init, mark, isForged, isSignedIn };
  };
};

type Pick = <One>(from: readonly One[]) => One;

const wrongCookie = (pick: Pick, mark: string) =>
  pick([
    `session=${'A'.repeat(43)}`,
    `__Host-session=${'b'.repeat(43)}; session=${encodeURIComponent(mark)}`,
    `session=; code=${'c'.repeat(43)}`,
    `session=${'d'.repeat(4_000)}`,
    ';;;=;=',
  ]);

const forged: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site', origin: 'https://elsewhere.example' },
  { 'sec-fetch-site': 'none' },
  { origin: 'https://elsewhere.example' },
  { origin: 'null' },
  {},
];

/** Fields as a browser sends them, and as none does. */
const bodyOf = (pick: Pick, fields: [string, string][], headers: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const encoded = new URLSearchParams(fields);
  const kind = pick(['encoded', 'encoded', 'encoded', 'parts', 'file', 'json', 'broken', 'huge']);
  if (kind === 'encoded') return encoded;
  if (kind === 'parts') return form;
  if (kind === 'file') {
    form.append(pick(names), new File(['a,b\n=1+1,"'], `${fields[0]?.[1] ?? ''}.csv`));
    return form;
  }
  const types: Record<string, string> = {
    json: 'application/json',
    broken: 'multipart/form-data; boundary=x',
    huge: 'application/x-www-form-urlencoded',
  };
  headers['content-type'] = types[kind] ?? '';
  if (kind === 'json') return JSON.stringify(Object.fromEntries(fields));
  return kind === 'huge' ? `name=${'x'.repeat(1_200_000)}` : `--y\r\n\r\n${encoded}`;
};

const openFormCourt = (foreignMarker: string) => {
  const statuses = new Map<number, number>();
  const offences = {
    'answers of 5xx but for 503': 0,
    'requests without an answer': 0,
    "answers that show the other firm's data": 0,
    'answers with unescaped text of the request': 0,
    'answers without the strict policy': 0,
    'forged forms that were taken': 0,
    'members’ pages without a session': 0,
  };
  const broken: string[] = [];
  const accuse = (offence: keyof typeof offences, request: FormRequest, what: string) => {
    offences[offence] += 1;
    if (broken.length >= maxBrokenKept) return;
    const { index, page, path } = request;
    broken.push(`form ${index}, ${page.method} ${path.slice(0, 300)}: ${offence}: ${what}`);
  };
  const judge = async (request: FormRequest, answer: Response | string) => {
    if (typeof answer === 'string') return accuse('requests without an answer', request, answer);
    const { status, headers } = answer;
    const text = await answer.text();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    // Bun refuses a head that is too long, before anything of ours sees it.
    if (status === 431 && text === '') return;
    if (status >= 500 && status !== 503) {
      accuse('answers of 5xx but for 503', request, `${status} ${text.slice(0, 300)}`);
    }
    if (text.includes(foreignMarker) || (headers.get('location') ?? '').includes(foreignMarker)) {
      accuse("answers that show the other firm's data", request, String(status));
    }
    const at = text.indexOf(request.mark);
    if (at >= 0 && (headers.get('content-type') ?? '').startsWith('text/html')) {
      const around = text.slice(Math.max(0, at - 100), at + 100);
      accuse('answers with unescaped text of the request', request, around);
    }
    const policy = headers.get('content-security-policy') ?? '';
    if (!policy.startsWith("default-src 'none'") || policy.includes('unsafe')) {
      accuse('answers without the strict policy', request, `${status} ${policy}`);
    }
    const isTaken = status < 300 || (status === 303 && !isToSignIn(answer));
    const isDescribed = isDescription(request, status);
    if (request.isForged && isTaken && !isDescribed)
      accuse('forged forms that were taken', request, `${status}`);
    const isClosed = request.page.admission !== 'open' && !request.isSignedIn;
    if (isClosed && isTaken && !isDescribed) {
      accuse('members’ pages without a session', request, `${status}`);
    }
  };
  return { statuses, offences, broken, judge };
};

const isToSignIn = ({ headers }: Response) => headers.get('location')?.startsWith('/sign-in');

/** At its root the server says to programs what it is. */
const isDescription = ({ page }: FormRequest, status: number) =>
  page.path === '/' && status === 200;
