/**
 * What mail costs whoever makes leads and matters, and a server that idles: `bun test/proof/bench/mail.ts
 * [--executable FILE] [--rounds N] [--seconds N] [--idle SECONDS]`. Two servers take turns, each on a
 * database of its own with the same firm: one has a mail server, the other has none. Each lead and each
 * matter gives notices, which go out by mail at once if there is mail. The mail server is a
 * thread of its own and accepts everything.
 */
import { parseArgs } from 'node:util';
import { keyFileOf, runJson } from '../../support/terminal.ts';
import { freshExecutable } from './executable.ts';
import { type LoadRequest, measure, median } from './load.ts';
import { cpuSecondsOf, megabytesOf } from './processes.ts';
import { foundFirmIn, setStage, startServerOn } from './stage.ts';

const clients = 4;

const { values } = parseArgs({
  options: {
    executable: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '5' },
    idle: { type: 'string', default: '120' },
  },
});
const [rounds, seconds, idle] = [values.rounds, values.seconds, values.idle].map(Number) as [
  number,
  number,
  number,
];

const executable = values.executable ?? (await freshExecutable());
const thread = new Worker(new URL('./mailbox.ts', import.meta.url));
const port = await new Promise<number>((resolve) => {
  thread.onmessage = ({ data }) => resolve(data);
});

const stops: (() => Promise<void>)[] = [];
const stage = await setStage();
const withMail = await stage.copyTo('mailing');
const environment = {
  MAIL_URL: `smtp://127.0.0.1:${port}`,
  MAIL_FROM: 'office@harrow.example',
  PUBLIC_URL: 'https://practice.harrow.example',
};

const kinds = ['lead', 'matter'] as const;
type Server = Awaited<ReturnType<typeof startOn>>;

/** A server on a database of its own, and what is sent to it. */
const startOn = async (databaseUrl: string, more: Record<string, string>) => {
  const firm = await foundFirmIn(databaseUrl, 'Mailing firm');
  for (const [member, kind] of [
    ['ada@harrow.example', 'lead.new'],
    ['ben@harrow.example', 'matter.added'],
    ['cy@harrow.example', 'matter.added'],
  ] as const) {
    const way = more.MAIL_URL ? 'mail' : 'inbox';
    await runJson(databaseUrl, ['notify', 'set', '--firm', firm.id, '--member', member, kind, way]);
  }
  const { address, pid, stop } = await startServerOn(executable, databaseUrl, {
    INSTALLATION_KEY: keyFileOf(databaseUrl),
    ...more,
  });
  stops.push(stop);
  const post = (path: string, body: object): LoadRequest => ({
    ...{ method: 'POST', path: `/v1/${path}`, key: firm.key },
    body: JSON.stringify(body),
  });
  const client = await fetch(`${address}/v1/leads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${firm.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ firstName: 'Zoe', lastName: 'Quill' }),
  });
  const contactId = (await client.json()).data.contact.id;
  const team = firm.members.slice(1).map((memberId) => ({ memberId, role: 'RESPONSIBLE_STAFF' }));
  return {
    address,
    pid,
    requests: {
      lead: post('leads', { firstName: 'Zoe', lastName: 'Quill' }),
      matter: post('matters', {
        practiceAreaId: firm.practiceAreaId,
        openDate: '2026-03-14',
        title: 'Quill v. Rook',
        clientContactIds: [contactId],
        team,
      }),
    },
  };
};

/** What a create costs: its median in milliseconds, and the processor time of the server. */
const measured = async ({ address, pid, requests }: Server, kind: (typeof kinds)[number]) => {
  const before = cpuSecondsOf(pid);
  const run = await measure(address, requests[kind], clients, seconds);
  if (run.failed > 0) throw new Error(`${run.failed} creates of a ${kind} were refused.`);
  return { ...run, cpu: ((cpuSecondsOf(pid) - before) * 1000) / run.requests };
};

const mails = () =>
  new Promise<number>((resolve) => {
    thread.onmessage = ({ data }) => resolve(data);
    thread.postMessage('how many');
  });
/** What servers use while nothing is asked of them. */
const atRest = async (servers: Server[]) => {
  const before = servers.map(({ pid }) => cpuSecondsOf(pid));
  await Bun.sleep(idle * 1000);
  return servers.map(({ pid }, at) => ({
    percent: ((cpuSecondsOf(pid) - (before[at] ?? 0)) / idle) * 100,
    megabytes: megabytesOf(pid),
  }));
};
const sayAtRest = async (when: string, servers: [Server, Server]) => {
  for (const [at, { percent, megabytes }] of (await atRest(servers)).entries()) {
    const name = at === 0 ? 'without mail' : 'with mail';
    console.log(
      `idle ${when}, ${name}: ${percent.toFixed(2)} % of a core, ${megabytes.toFixed(0)} MB`,
    );
  }
};

try {
  await compare();
} finally {
  await Promise.all(stops.map((stop) => stop()));
  await stage.clear();
  thread.terminate();
}

async function compare() {
  const without = await startOn(stage.url, {});
  const mailing = await startOn(withMail, environment);
  // A server looks once a minute whether mail is set up.
  await Bun.sleep(65_000);
  await sayAtRest('fresh', [without, mailing]);

  for (const kind of kinds) {
    const ratios: Record<'speed' | 'cpu' | 'p50', number[]> = { speed: [], cpu: [], p50: [] };
    for (let round = 0; round <= rounds; round += 1) {
      // Each begins half of the rounds.
      const inTurn = round % 2 ? [mailing, without] : [without, mailing];
      const runs = new Map<Server, Awaited<ReturnType<typeof measured>>>();
      for (const server of inTurn) runs.set(server, await measured(server, kind));
      const [off, on] = [runs.get(without), runs.get(mailing)];
      // The first round warms up.
      if (!off || !on || round === 0) continue;
      ratios.speed.push(on.perSecond / off.perSecond);
      ratios.cpu.push(on.cpu / off.cpu);
      ratios.p50.push(on.p50 / off.p50);
    }
    const shown = Object.entries(ratios).map(([name, all]) => `${name} ${median(all).toFixed(2)}`);
    console.log(
      `a ${kind}, with mail to without, medians of ${rounds} rounds: ${shown.join(', ')}`,
    );
  }

  // Until what was queued has gone.
  for (let before = -1, now = await mails(); now !== before; ) {
    await Bun.sleep(15_000);
    [before, now] = [now, await mails()];
  }
  console.log(`mails that came meanwhile: ${await mails()}`);

  await sayAtRest('after that', [without, mailing]);
}
