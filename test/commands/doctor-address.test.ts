/** The doctor calls PUBLIC_URL as a browser would, and looks at the certificates it meets. */
import { afterAll, describe, expect, test } from 'bun:test';
import type { Finding } from '../../src/doctor/finding.ts';
import { build } from '../../src/version.ts';
import { certificateFiles, type Made, makeCertificate } from '../support/certificate.ts';
import { ownDatabase } from '../support/database.ts';
import { withoutLateJobs } from '../support/expectations.ts';
import { makeFirm, startTestServer } from '../support/firm.ts';
import { programWords } from '../support/program.ts';
import { environmentOf } from '../support/roles.ts';
import { run } from '../support/terminal.ts';

const databaseUrl = await ownDatabase();
await makeFirm({ url: '', databaseUrl });

const examine = async (environment: Record<string, string>) => {
  const { out, exitCode } = await run(databaseUrl, ['doctor', '--json'], '', environment);
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  expect(exitCode).toBe(findings.some(({ level }) => level === 'problem') ? 1 : 0);
  for (const { what, do: todo } of findings) {
    for (const sentence of [what, todo]) expect(sentence).toMatch(/^[A-Z\d].*\.$/);
    expect(`${what} ${todo}`).not.toMatch(/undefined|NaN|\[object|Invalid/);
  }
  return withoutLateJobs(findings).map(({ level, what }) => `${level}: ${what}`);
};

/** What is found at an address over http, beside the warning of http itself. */
const foundAt = async (url: string) => {
  const [http, ...more] = await examine({ PUBLIC_URL: url });
  expect(http).toStartWith('warning: PUBLIC_URL begins with http://');
  return more;
};

/** Something that answers at a free port of this machine, over https if it has a certificate. */
const answering = (answer: () => Response, made?: Made) => {
  const tls = made && { cert: made.certificate, key: made.key };
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer, ...(tls && { tls }) });
  afterAll(() => server.stop(true));
  return `${made ? 'https' : 'http'}://localhost:${server.port}`;
};

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const matterhorn = () => Response.json(build);
const strange = (url: string) =>
  `warning: The certificate at ${url} is of an issuer that this machine does not know.`;

describe('Of an address over http the doctor says', () => {
  test('only that it is not encrypted, where this Matterhorn answers', async () => {
    const { url } = await startTestServer({ databaseUrl });
    expect(await foundAt(url)).toEqual([]);
  });

  test('as a warning that nobody answers, as while the server is stopped', async () => {
    const server = await startTestServer({ databaseUrl });
    await server.stop();
    expect(await foundAt(server.url)).toEqual([
      `warning: Nobody answers at PUBLIC_URL, ${server.url}: it refuses connections.`,
    ]);
  });

  test('as a warning that a proxy does not reach the server', async () => {
    const url = answering(() => new Response('Bad gateway', { status: 502 }));
    expect(await foundAt(url)).toEqual([expect.stringMatching(/^warning: .* answers 502: /)]);
  });

  test('as a warning that its name is not known, and that it is silent', async () => {
    expect(await foundAt('http://nowhere.invalid')).toEqual([
      'warning: This machine finds no address for nowhere.invalid, the name in PUBLIC_URL.',
    ]);
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    afterAll(() => silent.stop(true));
    const stalls = answering(() => new Response(new ReadableStream({ start() {} })));
    for (const url of [`http://localhost:${silent.port}`, stalls]) {
      expect(await foundAt(url)).toEqual([
        `warning: Nobody answers this machine at PUBLIC_URL, ${url}, within 2 seconds.`,
      ]);
    }
  });

  test('that something else answers, and nothing of what that says', async () => {
    for (const answer of [
      () => new Response('<h1>Welcome</h1>'),
      () => new Response('Not found', { status: 404 }),
      () => Response.json(null),
      () => Response.json({ version: '7.0' }),
      () => Response.json({ ...build, version: '<script>\n' }),
      () => new Response('x'.repeat(1_000_000)),
    ]) {
      const url = answering(answer);
      expect(await foundAt(url)).toEqual([
        `problem: What answers at PUBLIC_URL, ${url}, is not Matterhorn.`,
      ]);
    }
  });

  test('as a warning that another version answers', async () => {
    const url = answering(() => Response.json({ ...build, version: '0.1.9' }));
    expect(await foundAt(url)).toEqual([
      `warning: At PUBLIC_URL, ${url}, Matterhorn 0.1.9 answers, and this is ${build.version}.`,
    ]);
  });

  test('where it sends browsers, since forms from there are refused', async () => {
    const to = (location: string) => () => new Response('', { status: 308, headers: { location } });
    const elsewhere = answering(to('https://practice.harrow.example/version?x'));
    const beside = answering(to('/welcome'));
    expect(await foundAt(elsewhere)).toEqual([
      `problem: PUBLIC_URL is not where Matterhorn is: ${elsewhere} sends browsers on to https://practice.harrow.example.`,
    ]);
    expect(await foundAt(beside)).toEqual([
      `problem: PUBLIC_URL is not where Matterhorn is: ${beside} sends browsers on.`,
    ]);
  });

  test('that it speaks HTTPS, and of an https address that it does not', async () => {
    const secure = answering(matterhorn, makeCertificate()).replace('https:', 'http:');
    expect(await foundAt(secure)).toEqual([expect.stringMatching(/^problem: .* plain HTTP\.$/)]);
    const plain = answering(matterhorn).replace('http:', 'https:');
    expect(await examine({ PUBLIC_URL: plain })).toEqual([
      `problem: What answers at PUBLIC_URL, ${plain}, does not speak HTTPS.`,
    ]);
  });
});

describe('Of a certificate the doctor says', () => {
  test('that its issuer is unknown, and what answers behind it all the same', async () => {
    const files = certificateFiles();
    const { url } = await startTestServer({ databaseUrl, environment: files.environment });
    for (const address of [url, url.replace('127.0.0.1', 'localhost')]) {
      const found = await examine({ ...files.environment, PUBLIC_URL: address });
      expect(found).toEqual([strange(address)]);
    }
    const other = answering(() => new Response('Welcome'), files.made);
    expect(await examine({ PUBLIC_URL: other })).toEqual([
      strange(other),
      `problem: What answers at PUBLIC_URL, ${other}, is not Matterhorn.`,
    ]);
  });

  test('nothing where its issuer is one that NODE_EXTRA_CA_CERTS names', async () => {
    const files = certificateFiles();
    const url = answering(matterhorn, files.made);
    const child = Bun.spawn([...programWords(databaseUrl), 'doctor', '--json'], {
      env: {
        ...process.env,
        ...environmentOf(databaseUrl),
        PUBLIC_URL: url,
        NODE_EXTRA_CA_CERTS: files.environment.TLS_CERT,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { findings } = JSON.parse(await new Response(child.stdout).text());
    expect(findings.filter(({ what }: Finding) => what.includes(url))).toEqual([]);
  });

  test('that it is for another name', async () => {
    const url = answering(matterhorn, makeCertificate(['other.example']));
    expect(await examine({ PUBLIC_URL: url })).toEqual([
      `problem: The certificate at ${url} is for another name: browsers refuse it.`,
      strange(url),
    ]);
  });

  test('from 21 days before its end when it ends, and then that it has ended', async () => {
    const endOf = async (days: number) => {
      const url = answering(matterhorn, makeCertificate(undefined, days));
      const found = await examine({ PUBLIC_URL: url });
      return found
        .filter((one) => one !== strange(url))
        .map((one) => one.replace(`The certificate at ${url} `, ''));
    };
    expect(await endOf(22)).toEqual([]);
    expect(await endOf(20)).toEqual([`warning: ends on ${day(20)}.`]);
    expect(await endOf(-0.5)).toEqual([`problem: ended on ${day(-0.5)}: browsers refuse it.`]);
  });

  test('the same of the one in TLS_CERT, once where it is also the one that is shown', async () => {
    const files = certificateFiles(makeCertificate(undefined, 20));
    const { TLS_CERT } = files.environment;
    const ending = `warning: The certificate in ${TLS_CERT} ends on ${day(20)}.`;
    expect(await examine(files.environment)).toEqual([ending]);
    const shown = answering(matterhorn, files.made);
    const both = { ...files.environment, PUBLIC_URL: shown };
    expect(await examine(both)).toEqual([ending, strange(shown)]);
    files.write(makeCertificate(undefined, 90));
    expect(await examine(both)).toEqual([
      strange(shown),
      `warning: The certificate at ${shown} ends on ${day(20)}.`,
    ]);
    files.write({ key: makeCertificate().key });
    expect(await examine(files.environment)).toEqual([
      'problem: The key of TLS_KEY does not belong to the certificate of TLS_CERT.',
    ]);
  });
});

test('The doctor calls nobody where PUBLIC_URL is not set', async () => {
  expect(await examine({})).toEqual([]);
});
