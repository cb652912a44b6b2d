/** Holds every answer of every test to the API description, so that neither can drift. */
import { Ajv2020 } from 'ajv/dist/2020';
import formats from 'ajv-formats';
import { openApiDocument } from '../../src/api/document.ts';

type Response = { content?: Record<string, { schema: object }>; $ref?: string };
type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: object;
};

const document = (await openApiDocument()) as Document;
const ajv = new Ajv2020({ strict: false, validateFormats: true });
formats.default(ajv as never);
ajv.addSchema({ $id: 'document', components: document.components });

const paths = Object.keys(document.paths).map((path) => ({
  path,
  matches: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
}));

const checks = new Map<string, ReturnType<typeof ajv.compile>>();

const checkOf = (schema: object, key: string) => {
  let check = checks.get(key);
  if (!check) {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
    checks.set(key, (check = ajv.compile(absolute)));
  }
  return check;
};

const withoutRequired = (document: object) =>
  JSON.parse(JSON.stringify(document), (key, value) =>
    key === 'required' && Array.isArray(value) ? undefined : value,
  );

ajv.addSchema({ $id: 'older', components: withoutRequired(document.components) });

const checkOfReplayed = (schema: object, at: string) => {
  const key = `${at} replayed`;
  let check = checks.get(key);
  if (!check) {
    const absolute = JSON.stringify(withoutRequired(schema)).replaceAll('"#/', '"older#/');
    checks.set(key, (check = ajv.compile(JSON.parse(absolute))));
  }
  return check;
};

const isDryRun = ({ headers, status }: globalThis.Response) =>
  status === 200 && headers.get('preference-applied')?.includes('dry-run');

const anId = '019f0000-0000-7000-8000-000000000000';

/** A dry run answers what a write would have, with null for each id that there is not yet. */
const expectDryRun = (responses: Record<string, Response>, at: string, text: string) => {
  const schema = (responses['201'] ?? responses['200'])?.content?.['application/json']?.schema;
  if (!schema) throw new Error(`${at} is a dry run of what has no answer.`);
  const check = checkOf(schema, `${at} ${responses['201'] ? 'made' : 'changed'}`);
  const whole = JSON.parse(text, (name, value) =>
    value === null && ['id', 'publicId'].includes(name) ? anId : value,
  );
  if (!check(whole))
    throw new Error(`${at} is no dry run: ${ajv.errorsText(check.errors)}; ${text}`);
};

/** Throws unless the description says that this operation may answer like this. */
export const expectDescribed = (
  url: string,
  method: string,
  answer: globalThis.Response,
  text: string,
) => {
  const { pathname } = new URL(url);
  const found = paths.find(({ matches }) => matches.test(pathname));
  const operation = found && document.paths[found.path]?.[method.toLowerCase()];
  // Other methods and unknown paths are answered in the envelope of errors, and not described.
  if (!found || !operation) return;
  const at = `${method} ${found.path} ${answer.status}`;
  if (isDryRun(answer)) return expectDryRun(operation.responses, at, text);
  const described = operation.responses[String(answer.status)];
  if (!described) throw new Error(`${at} is not in the API description: ${text.slice(0, 500)}`);
  const schema = described.content?.['application/json']?.schema;
  if (!schema) {
    if (text !== '') throw new Error(`${at} has no body in the API description, and has one.`);
    return;
  }
  if (!answer.headers.get('content-type')?.startsWith('application/json')) {
    throw new Error(`${at} is not application/json.`);
  }
  // A repeat gets the first answer as it was, which may lack fields that were added since.
  const isReplayed = answer.headers.get('idempotent-replayed') === 'true';
  const check = isReplayed ? checkOfReplayed(schema, at) : checkOf(schema, at);
  if (!check(JSON.parse(text))) {
    throw new Error(
      `${at} is not as described: ${ajv.errorsText(check.errors)}; ${text.slice(0, 500)}`,
    );
  }
};
