/**
 * How long after the call notifications are there:
 * `bun test/proof/bench/delays.ts [--leads N] [--executable FILE]`. New leads are due a minute after the
 * call, what happens to a matter shortly after it. No firm gets more than three leads, which would
 * make a burst.
 */
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { readSettings } from '../../../src/config.ts';
import { caller, makeFirm } from '../../support/firm.ts';
import { setStage } from './stage.ts';

const { values: flags } = parseArgs({
  options: {
    leads: { type: 'string', default: '1000' },
    executable: { type: 'string', default: 'dist/matterhorn' },
  },
});
const leads = Number(flags.leads);
const leadsOfFirm = 3;

const stage = await setStage();
const sql = postgres({
  ...(readSettings({ DATABASE_URL: stage.url }).database as object),
  max: 1,
  onnotice: () => {},
});

const spread = (seconds: number[]) => {
  const sorted = seconds.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(3);
  return { notices: sorted.length, min: at(0), p50: at(0.5), p99: at(0.99), max: at(1) };
};

try {
  const url = await stage.startServer(flags.executable);
  const members = [
    { email: 'ada@harrow.example', name: 'Ada Harrow', role: 'Owner' },
    { email: 'ben@harrow.example', name: 'Ben Lane', role: 'Attorney' },
  ];
  const firms = [];
  for (let left = Math.ceil(leads / leadsOfFirm); left > 0; left -= 1)
    firms.push(await makeFirm({ url, databaseUrl: stage.url }, { members }));

  for (const firm of firms) {
    const { post, patch, delete: remove } = caller(url, firm.owner.key);
    for (let count = 0; count < leadsOfFirm; count += 1)
      await post('/v1/leads', { lastName: 'Quill' });
    const { body } = await post('/v1/matters', {
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2026-02-03',
      team: [
        {
          memberId: firm.members['ben@harrow.example'],
          role: 'RESPONSIBLE_ATTORNEY',
          allocation: 50,
        },
      ],
    });
    await Bun.sleep(200);
    await patch(`/v1/matters/${body.data.id}`, { status: 'ARCHIVE' });
    await Bun.sleep(200);
    await remove(`/v1/matters/${body.data.id}`);
  }
  console.log('all calls made; waiting for the last minute to pass');
  while (
    (
      await sql`select from job where kind <> 'audit_seal' and firm_id <> '00000000-0000-0000-0000-000000000000' limit 1`
    ).length > 0
  )
    await Bun.sleep(500);

  const delays = await sql<{ kind: string; seconds: number }[]>`
    select notification.kind, extract(epoch from notification.created_at - entry.at)::float8 as seconds
    from notification join audit_entry entry on entry.firm_id = notification.firm_id
      and entry.record_id = notification.record_id and entry.action = case notification.kind
        when 'lead.new' then 'create' when 'matter.added' then 'create'
        when 'matter.archived' then 'update' else 'delete' end`;
  const kinds = [...new Set(delays.map(({ kind }) => kind))].sort();
  console.table(
    Object.fromEntries(
      kinds.map((one) => [
        one,
        spread(delays.filter(({ kind }) => kind === one).map(({ seconds }) => seconds)),
      ]),
    ),
  );
} finally {
  await sql.end();
  await stage.clear();
}
process.exit();
