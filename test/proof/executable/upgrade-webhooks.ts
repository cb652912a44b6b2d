/** An upgrade while messages of webhooks wait: each arrives, once, and what had arrived before does not come again. */
import { check } from '../../support/executable.ts';
import { caller } from '../../support/firm.ts';
import { believedFile, receiversAt, startReceiver } from '../../support/receiver.ts';
import type { UpgradeTrial } from '../../support/upgrade-trial.ts';

// Longer than the upgrade takes, so that all of them wait when the newer version starts.
const waitSeconds = 30;

export const tryWebhooks = async ({
  install,
  command,
  serve,
  upgradeWords,
  data,
}: UpgradeTrial) => {
  const reach = { ...receiversAt, NODE_EXTRA_CA_CERTS: believedFile() };
  const names = ['Before', 'Refused', 'Waits 1', 'Waits 2', 'Waits 3'];
  await install();
  const before = await serve(reach);
  const scopes = ['leads:read', 'leads:write', 'webhooks:read', 'webhooks:write'];
  const words = ['key', 'create', '--member', 'ada@harrow.example', '--scope', ...scopes];
  const { key } = JSON.parse((await command([...words, '--data', data, '--json'])).out);
  const receiver = startReceiver();
  const taken: { id: string; lead: string }[] = [];
  const take = ({ id, event }: { id: string; event: { data: { id: string } } }) => {
    taken.push({ id, lead: event.data.id });
    return new Response(null, { status: 204 });
  };
  receiver.answer(take);
  const made: string[] = [];
  const make = async (url: string, lastName: string) => {
    const { body } = await caller(url, key).post('/v1/leads', { lastName });
    made.push(body.data.id);
  };

  const asked = { url: receiver.url, types: ['lead.created'] };
  const hook = await caller(before.url, key).post('/v1/webhook-endpoints', asked);
  check('a webhook is made', hook.status === 201);
  const [first = '', ...others] = names;
  await make(before.url, first);
  await receiver.until(1);
  receiver.answer(
    () => new Response(null, { status: 503, headers: { 'retry-after': `${waitSeconds}` } }),
  );
  for (const name of others) await make(before.url, name);
  await receiver.until(2);

  const done = await command(upgradeWords, reach);
  check('it upgrades while messages wait', done.exitCode === 0);
  check('none of them had arrived', taken.length === 1);
  receiver.answer(take);
  const after = await serve(reach);
  await make(after.url, 'After');
  await receiver.until(made.length, ({ id }) => taken.some((one) => one.id === id));
  await after.stop();
  const arrived = taken.map(({ lead }) => lead);
  check(
    'none is lost',
    made.every((lead) => arrived.includes(lead)),
  );
  check('none comes twice', new Set(arrived).size === arrived.length);
  const refused = receiver.arrived.filter(({ event }) => event.data.id === made[1]);
  check('a try repeats the id of the first', new Set(refused.map(({ id }) => id)).size === 1);
};
