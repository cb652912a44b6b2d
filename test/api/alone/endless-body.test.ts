import { expect, test } from 'bun:test';
import { expectRefusal } from '../../support/expectations.ts';
import { makeFirm, send, startTestServer } from '../../support/firm.ts';

const server = await startTestServer();

test('hundreds of megabytes of no said length are refused, and not kept', async () => {
  const firm = await makeFirm(server);
  const before = process.memoryUsage().rss;
  const part = new Uint8Array(1_000_000).fill(0x20);
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      if ((sent += 1) > 300) controller.close();
      else controller.enqueue(part);
    },
  });
  const headers = {
    authorization: `Bearer ${firm.owner.key}`,
    'content-type': 'application/json',
  };
  const answer = await send(`${server.url}/v1/leads`, { method: 'POST', headers, body });
  expectRefusal(answer, 413, 'payload_too_large', '1 MiB');
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
});
