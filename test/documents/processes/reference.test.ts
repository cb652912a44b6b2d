/** The samples of the reference: in each language, every operation's example is the same request. */
import { afterAll, expect, test } from 'bun:test';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestServer } from '../../support/firm.ts';
import { type Language, recipesOf, runRecipe } from '../../support/recipes.ts';

type Sent = { method: string; target: string; headers: Record<string, unknown>; body: unknown };
type Operation = {
  operationId: string;
  security: unknown[];
  requestBody?: { content: { 'application/json': { example?: unknown } } };
};

const server = await startTestServer();
const told = ['authorization', 'content-type', 'idempotency-key'];
const sent: Sent[] = [];

/** A server at which the samples arrive. */
const listener = createServer(async (request, response) => {
  const { method = '', url = '', headers } = request;
  const body = Buffer.concat(await Array.fromAsync(request)).toString();
  sent.push({
    method,
    target: url,
    headers: Object.fromEntries(told.map((name) => [name, headers[name]])),
    body: body ? JSON.parse(body) : undefined,
  });
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
afterAll(() => listener.close());
const host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;

const { paths } = (await (await fetch(`${server.url}/v1/openapi.json`)).json()) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, one]) => ({ path, method: method.toUpperCase(), ...one })),
);

/** The samples of every operation, as one program that sends one after the other. */
const programs: Record<Language, (samples: string[]) => string> = {
  sh: (samples) => ['AUTH=auth', 'echo "Authorization: Bearer $KEY" > auth', ...samples].join('\n'),
  ts: (samples) => samples.map((one) => `{\n${one}\n}`).join('\n'),
  python: (samples) => samples.join('\n'),
};

test('every sample sends the description’s example, the same in curl, TypeScript and Python', async () => {
  const list = await (await fetch(`${server.url}/llms.txt`)).text();
  const pages = [...list.matchAll(/\((\/docs\/reference\/[\w-]+\/[\w-]+)\.md\)/g)];
  const recipes = await Promise.all(
    pages.map(([, path = '']) => recipesOf(server.url, path, { host })),
  );
  expect(recipes).toHaveLength(operations.length);
  const all: Partial<Record<Language, Sent[]>> = {};
  for (const language of ['sh', 'ts', 'python'] as const) {
    const samples = recipes.map((one) => one.find((each) => each.language === language)?.text);
    expect(samples).not.toContain(undefined);
    const program = programs[language](samples as string[]);
    const { exitCode } = await runRecipe(language, program, { KEY: 'mh_key' });
    expect({ language, exitCode }).toEqual({ language, exitCode: 0 });
    all[language] = sent.splice(0);
  }
  expect(all.sh).toHaveLength(operations.length);
  expect(all.ts).toEqual(all.sh as Sent[]);
  expect(all.python).toEqual(all.sh as Sent[]);
  for (const { path, method, security, requestBody } of operations) {
    const shape = new RegExp(`^${path.replace('{id}', '[^/?]+')}(\\?.*)?$`);
    const found = all.sh?.filter((one) => one.method === method && shape.test(one.target)) ?? [];
    expect([method, path, found.length]).toEqual([method, path, 1]);
    expect(found[0]?.body).toEqual(requestBody?.content['application/json'].example);
    const key = security.length > 0 ? 'Bearer mh_key' : undefined;
    expect([path, found[0]?.headers.authorization]).toEqual([path, key]);
  }
});
