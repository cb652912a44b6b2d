/**
 * A typical server of this kind, as a small team would build it on Node: Fastify with its own
 * schema validation and serialization, Drizzle over node-postgres, on the same tables.
 *
 * It does: look the key up at each request and check its scope, validate bodies and queries, page
 * by offset with a count beside the page (both asked at once), and store the record, its audit
 * entries and its job in one transaction. It is written with care: one join for a page instead of
 * a query per row, what is independent asked at once, rows of one table inserted together, the
 * same indexes, compiled serializers, no request log.
 *
 * It does not: limit rates, repeat answers for an Idempotency-Key, seal its audit log, run its
 * jobs, keep private leads from others, forgive typos in a search, count by register.
 */
import { createHash } from 'node:crypto';
import { and, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import Fastify from 'fastify';
import pg from 'pg';
import { createLead, listLeads, readLead, updateLead } from './leads.mjs';
import { createMatter } from './matters.mjs';
import { leadBody, leadChange, leadFull, leadPage, matterBody, matterFull } from './schemas.mjs';
import { search } from './search.mjs';
import { apiKey, member, role } from './tables.mjs';

const [url, connections = '10'] = process.argv.slice(2);
const pool = new pg.Pool({
  connectionString: url,
  max: Number(connections),
  idleTimeoutMillis: 2_000,
});
const db = drizzle(pool);
const app = Fastify({ logger: false });

const refuse = (statusCode, code, message) =>
  Object.assign(new Error(message), { statusCode, code });

const holderOf = async (authorization) => {
  const key = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (!key) return undefined;
  const digest = createHash('sha256').update(key).digest();
  const [holder] = await db
    .select({
      firmId: apiKey.firmId,
      keyId: apiKey.id,
      memberId: apiKey.memberId,
      scopes: apiKey.scopes,
      permissions: role.permissions,
      holdsAll: role.holdsAll,
    })
    .from(apiKey)
    .innerJoin(member, and(eq(member.firmId, apiKey.firmId), eq(member.id, apiKey.memberId)))
    .innerJoin(role, and(eq(role.firmId, member.firmId), eq(role.id, member.roleId)))
    .where(
      and(
        eq(apiKey.digest, digest),
        isNull(apiKey.revokedAt),
        isNull(member.deactivatedAt),
        or(isNull(apiKey.expiresAt), gt(apiKey.expiresAt, sql`now()`)),
      ),
    );
  return holder;
};

/** Admits whoever has the scope, and the permission for it. */
const admit = (scope) => async (request) => {
  const holder = await holderOf(request.headers.authorization);
  if (!holder) throw refuse(401, 'unauthorized', 'The API key is missing, wrong or revoked.');
  const mayDoIt = holder.holdsAll || holder.permissions.includes(scope);
  if (!holder.scopes.includes(scope) || !mayDoIt)
    throw refuse(403, 'forbidden', `This takes the scope ${scope}.`);
  request.holder = holder;
};

app.decorateRequest('holder', null);
app.setErrorHandler((error, _request, reply) => {
  const status = error.validation ? 400 : (error.statusCode ?? 500);
  const code = error.validation ? 'invalid_request' : (error.code ?? 'internal_error');
  const message = status === 500 ? 'Something went wrong.' : error.message;
  if (status === 500) console.error(error);
  reply.status(status).send({ error: { code, message } });
});

const pageQuery = {
  type: 'object',
  properties: {
    q: { type: 'string', maxLength: 200 },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    offset: { type: 'integer', minimum: 0, default: 0 },
  },
};

app.get(
  '/v1/leads',
  {
    preHandler: admit('leads:read'),
    schema: { querystring: pageQuery, response: { 200: leadPage } },
  },
  (request) => listLeads(db, request.holder, request.query),
);

app.get(
  '/v1/leads/:id',
  { preHandler: admit('leads:read'), schema: { response: { 200: leadFull } } },
  async (request) => {
    const found = await readLead(db, request.holder, request.params.id);
    if (!found) throw refuse(404, 'not_found', 'No lead of the firm has this id.');
    return { data: found };
  },
);

app.post(
  '/v1/leads',
  {
    preHandler: admit('leads:write'),
    schema: { body: leadBody, response: { 201: leadFull } },
  },
  async (request, reply) => {
    reply.status(201);
    return { data: await createLead(db, request.holder, request.body, request.id) };
  },
);

app.patch(
  '/v1/leads/:id',
  {
    preHandler: admit('leads:write'),
    schema: { body: leadChange, response: { 200: leadFull } },
  },
  async (request) => {
    const { holder, params, body, id } = request;
    const updated = await updateLead(db, holder, params.id, body, id);
    if (!updated) throw refuse(404, 'not_found', 'No lead of the firm has this id.');
    return { data: updated };
  },
);

app.post(
  '/v1/matters',
  {
    preHandler: admit('matters:write'),
    schema: { body: matterBody, response: { 201: matterFull } },
  },
  async (request, reply) => {
    const made = await createMatter(db, request.holder, request.body, request.id);
    if (!made) throw refuse(404, 'not_found', 'A reference is not the id of a record of the firm.');
    reply.status(201);
    return { data: made };
  },
);

app.get(
  '/v1/search',
  { preHandler: admit('contacts:read'), schema: { querystring: pageQuery } },
  (request) => search(db, request.holder, request.query),
);

console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
