/** Where servers are killed while a test works, it fails with what is wrong, and with nothing else. */
import { expect, test } from 'bun:test';
import { ownDatabase } from '../../support/database.ts';
import { insistently, startKilled } from '../../support/killed-instances.ts';

const refused = Object.assign(new Error('refused'), { code: 'ConnectionRefused' });

test('what breaks off while servers are killed is what is thrown, and all are up again', async () => {
  const killed = await startKilled(await ownDatabase(), 1, Math.random, 20);
  const breaking = killed.during(async () => {
    while (killed.kills() === 0) await Bun.sleep(5);
    throw new Error('It is not as the rule says.');
  });
  await expect(breaking).rejects.toThrow('It is not as the rule says.');
  expect((await fetch(`${killed.anyUrl()}/healthz`)).status).toBe(200);
});

test('a wrong answer is thrown at once; one who is away, or cannot tell, is asked again', async () => {
  let asked = 0;
  const ask = (...answers: (number | Error)[]) =>
    insistently(async () => {
      const answer = answers[asked++] ?? 200;
      if (typeof answer !== 'number') throw answer;
      return { status: answer };
    });
  await expect(ask(new Error('It is not as described.'))).rejects.toThrow('not as described');
  expect(asked).toBe(1);
  asked = 0;
  expect(await ask(refused, 503, 409, 201)).toEqual({ status: 201 });
  expect(asked).toBe(4);
});
