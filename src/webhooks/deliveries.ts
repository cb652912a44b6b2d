import { sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { Refusal } from '../base/refusal.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import { write } from '../record/write.ts';
import { ownForChange, readEndpoint, type Webhooks } from './endpoint.ts';
import { keepTries } from './outgoing.ts';
import { post } from './post.ts';
import { openSecret, signedHeaders } from './secret.ts';
import { webhookEndpoint } from './table.ts';
import type { DeliveryRow } from './wire.ts';

/** The type of the message that somebody sends to see whether it arrives. */
export const testType = 'webhook.test';

type PageBefore = { limit: number; before: string | null };

/**
 * Tries of an endpoint's messages, newest first, older than the one called `before`. Throws `Refusal` not_found for the
 * endpoint.
 */
export const listDeliveries = async (
  reader: Reader,
  endpointId: string,
  { limit, before }: PageBefore,
): Promise<{ rows: DeliveryRow[]; hasMore: boolean }> => {
  await readEndpoint(reader, endpointId);
  const rows = await reader.run(deliveries, {
    ...{ firmId: reader.firmId, endpointId, before, limit: limit + 1 },
  });
  const shown = rows.slice(0, limit);
  return {
    rows: shown.map((row) => ({ ...row, at: new Date(row.at).toISOString() })),
    hasMore: rows.length > limit,
  };
};

const deliveries = statement(
  (
    given: Given<{ firmId: string; endpointId: string; before: string | null; limit: number }>,
  ) => sql<DeliveryRow>`
    select id::text as id, message_id as "messageId", type, record_id::text as "recordId", at, answer, failure,
      milliseconds, try_number as try, is_last as "isLast"
    from webhook_delivery
    where firm_id = ${given.firmId}::uuid and endpoint_id = ${given.endpointId}::uuid
      and (${given.before}::uuid is null or id < ${given.before}::uuid)
    order by id desc limit ${given.limit}`,
);

/**
 * Sends a message of its own to an endpoint of the acting member, also to a paused one, and returns what came of it. It
 * waits for the answer, at most fifteen seconds, and keeps no connection to the database meanwhile. Throws `Refusal`:
 * not_found; forbidden for another member's; conflict if its secret cannot be read, or while another test of it is under way.
 */
export const testEndpoint = async (
  { seals, reach }: Webhooks,
  actor: Actor,
  endpointId: string,
): Promise<DeliveryRow> => {
  const { firmId } = actor;
  const url = await write({ ...actor, repeatable: undefined }, async (w) => {
    const stored = await ownForChange(w, endpointId);
    // Who sent what to where stands in the audit log.
    w.record('update', webhookEndpoint, endpointId, { tested: { before: null, after: testType } });
    return stored.url;
  });
  const stored = await actor.first(secrets, { firmId, endpointId });
  const secret = stored && (await openSecret(seals(), stored.secret, { firmId, endpointId }));
  if (!secret) {
    throw new Refusal('conflict', 'Its secret cannot be read. Rotate it first.');
  }
  const id = `evt_test_${newId().replaceAll('-', '').slice(-20)}`;
  const at = new Date();
  const event = {
    ...{ id, type: testType, timestamp: at.toISOString() },
    data: { id: endpointId, resource: 'webhook-endpoints', changed: [] },
    request: { id: actor.requestId, idempotencyKey: null },
  };
  const row = { id: newId(), messageId: id, type: testType, recordId: endpointId };
  if (actor.dryRun) {
    const nothing = { answer: null, failure: null, milliseconds: 0, try: 1, isLast: true };
    return { ...row, at: at.toISOString(), ...nothing };
  }
  if (underWay.has(endpointId)) {
    throw new Refusal('conflict', 'A test of this webhook is under way. Wait for it.');
  }
  underWay.add(endpointId);
  try {
    const body = JSON.stringify(event);
    const headers = signedHeaders({ id, body, at }, [secret]);
    const { status, failure, milliseconds } = await post(reach, { url, headers, body });
    const tried = { ...row, answer: status, failure, milliseconds, tryNumber: 1, isLast: true };
    await actor.run(keepTries, { firmId, endpointId, tried: JSON.stringify([tried]) });
    const page = { limit: 1, before: null };
    return (await listDeliveries(actor, endpointId, page)).rows[0] as DeliveryRow;
  } finally {
    underWay.delete(endpointId);
  }
};

const underWay = new Set<string>();

const secrets = statement(
  (given: Given<'firmId' | 'endpointId'>) => sql<{ secret: string }>`
    select secret from webhook_sending
    where firm_id = ${given.firmId}::uuid and endpoint_id = ${given.endpointId}::uuid`,
);
