import { expect, test } from 'bun:test';
import { BlockList } from 'node:net';
import { addressOf, type Reach } from '../../src/webhooks/address.ts';
import { post } from '../../src/webhooks/post.ts';
import { startReceiver } from '../support/receiver.ts';

const name = 'hooks.harrow.example';

/** What a name means, one look after the other; this machine may be reached at 127.0.0.1. */
const reachOf = (looks: string[][], ownPorts: number[] = []): Reach => {
  const allowed = new BlockList();
  for (const one of ['127.0.0.1', '169.254.169.254', '0.0.0.0']) allowed.addAddress(one);
  const resolve = async () => looks.shift() ?? [];
  return { allowed, ownPorts: () => ownPorts, resolve };
};

const message = (port: number) => ({ url: `https://${name}:${port}/`, headers: {}, body: '{}' });

test('A name that means another address a moment later is judged anew at each try, and never reached there', async () => {
  const receiver = startReceiver();
  const reach = reachOf([
    ['127.0.0.1'],
    ['127.0.0.2'],
    ['127.0.0.1', '10.0.0.7'],
    ['::ffff:7f00:2'],
  ]);
  expect(await post(reach, message(receiver.port))).toMatchObject({ status: 204, failure: null });
  for (let tries = 0; tries < 3; tries += 1) {
    expect(await post(reach, message(receiver.port))).toMatchObject({
      status: null,
      failure: 'refused-address',
    });
  }
  expect(await post(reach, message(receiver.port))).toMatchObject({ failure: 'unresolved' });
  expect(receiver.arrived).toHaveLength(1);
});

test('The address that was judged is the one that is connected to, whatever the name means meanwhile', async () => {
  const receiver = startReceiver();
  let looks = 0;
  const reach = reachOf([]);
  reach.resolve = async () => (++looks === 1 ? ['127.0.0.1'] : ['127.0.0.2']);
  expect(await post(reach, message(receiver.port))).toMatchObject({ status: 204 });
  expect([looks, receiver.arrived.length]).toEqual([1, 1]);
});

test('A name whose certificate is another’s is not believed', async () => {
  const receiver = startReceiver();
  const reach = reachOf([['127.0.0.1']]);
  const url = `https://other.harrow.example:${receiver.port}/`;
  expect(await post(reach, { url, headers: {}, body: '{}' })).toMatchObject({
    status: null,
    failure: 'certificate',
  });
  expect(receiver.arrived).toEqual([]);
});

test.each([
  ['metadata, even where it is allowed', '169.254.169.254'],
  ['no host, even where it is allowed', '0.0.0.0'],
  ['the metadata of IPv6', 'fd00:ec2::254'],
])('Never reached: %s', async (_, address) => {
  const found = await addressOf(reachOf([[address]]), new URL(`https://${name}/`));
  expect(found).toEqual({ failure: 'refused-address' });
});

test('The server’s own ports are never reached, even where the address is allowed', async () => {
  const url = new URL(`https://${name}:8443/`);
  const refused = await addressOf(reachOf([['127.0.0.1']], [8443]), url);
  expect(refused).toEqual({ failure: 'refused-address' });
  expect(await addressOf(reachOf([['127.0.0.1']], [8080]), url)).toEqual({ address: '127.0.0.1' });
});

test('Addresses of the open internet are reached', async () => {
  for (const address of ['93.184.215.14', '2606:2800:21f:cb07::1']) {
    const found = await addressOf(reachOf([[address]]), new URL(`https://${name}/`));
    expect(found).toEqual({ address });
  }
});
