import { exampleAddress } from './address.ts';
import type { Operation } from './description.ts';
import type { Code } from './sample.tsx';

const anyId = '019f0000-0000-7000-8000-000000000002';

/** The path of an operation's example request, with its parameters. */
const targetOf = ({ path, parameters, answer, body }: Operation) => {
  const id = idIn(answer.example) ?? idIn(body?.example) ?? anyId;
  const query = parameters
    .filter((one) => one.in === 'query' && one.example !== undefined)
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
    .join('&');
  return `${path.replace('{id}', id)}${query && `?${query}`}`;
};

const idIn = (example: unknown) =>
  (example as { data?: { id?: string } } | undefined)?.data?.id ?? undefined;

type Parts = { method: string; url: string; isKeyed: boolean; body: unknown; once: boolean };

const partsOf = (operation: Operation): Parts => ({
  method: operation.method,
  url: `${exampleAddress}${targetOf(operation)}`,
  isKeyed: operation.scopes !== undefined,
  body: operation.body?.example,
  once: operation.parameters.some(({ name }) => name === 'idempotency-key'),
});

/** An operation's example request, in each language. */
export const requestsOf = (operation: Operation): Code[] => {
  const parts = partsOf(operation);
  return [
    { language: 'sh', text: curl(parts) },
    { language: 'ts', text: typeScript(parts) },
    { language: 'python', text: python(parts) },
  ];
};

const json = 'application/json';
const onceKey = 'form-8412';

const curl = ({ method, url, isKeyed, body, once }: Parts) =>
  [
    `curl ${/[?&]/.test(url) ? `'${url}'` : url}`,
    // curl asks with GET, or POST if there is a body.
    ...(method === (body === undefined ? 'GET' : 'POST') ? [] : [`-X ${method}`]),
    ...(isKeyed ? ['-H @"$AUTH"'] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: ${json}'`]),
    ...(once ? [`-H 'Idempotency-Key: ${onceKey}'`] : []),
    ...(body === undefined ? [] : [`-d '${inside(pretty(body)).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ');

const typeScript = ({ method, url, isKeyed, body, once }: Parts) => {
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the sample's own
    ...(isKeyed ? ['authorization: `Bearer ${process.env.KEY}`,'] : []),
    ...(body === undefined ? [] : [`'content-type': '${json}',`]),
    ...(once ? [`'idempotency-key': '${onceKey}',`] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? ['  headers: {', ...headers.map((one) => `    ${one}`), '  },'] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${inside(pretty(body))}),`]),
  ];
  const call = options.length > 0 ? `'${url}', {\n${options.join('\n')}\n}` : `'${url}'`;
  return `const answer = await fetch(${call});\nconsole.log(answer.status, await answer.json());`;
};

const python = ({ method, url, isKeyed, body, once }: Parts) => {
  const headers = [
    ...(isKeyed ? [`"Authorization": f"Bearer {os.environ['KEY']}",`] : []),
    ...(body === undefined ? [] : [`"Content-Type": "${json}",`]),
    ...(once ? [`"Idempotency-Key": "${onceKey}",`] : []),
  ];
  const given = [
    `    "${url}",`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ...(headers.length > 0
      ? ['    headers={', ...headers.map((one) => `        ${one}`), '    },']
      : []),
    ...(body === undefined ? [] : [`    data=json.dumps(${inside(inPython(body))}).encode(),`]),
  ];
  return [
    'import json, os, urllib.request',
    '',
    'request = urllib.request.Request(',
    ...given,
    ')',
    'with urllib.request.urlopen(request, timeout=30) as answer:',
    '    print(answer.status, json.load(answer))',
  ].join('\n');
};

/** An example as JSON with line breaks. */
export const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

const pythonWords: Record<string, string> = { null: 'None', true: 'True', false: 'False' };

const inPython = (value: unknown) =>
  pretty(value).replaceAll(
    /"(?:\\.|[^"\\])*"|\b(?:null|true|false)\b/g,
    (word) => pythonWords[word] ?? word,
  );

const inside = (text: string) => text.replaceAll('\n', '\n  ');
