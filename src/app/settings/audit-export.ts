import { stringify } from 'csv-stringify/sync';
import { listKeys } from '../../api-keys/list.ts';
import { logOf } from '../../audit/chain.ts';
import { exportLines } from '../../audit/export.ts';
import { invalidField } from '../../base/refusal.ts';
import { recordExport } from '../../firm/exported.ts';
import { listMembers } from '../../firm/member.ts';
import type { Actor } from '../../record/actor.ts';
import type { Fields } from '../fields.ts';
import type { Visit } from '../visit.ts';

export const formats = [
  {
    value: 'lines',
    name: 'Lines of JSON, with the seals',
    hint: 'Others can verify it without Matterhorn.',
  },
  { value: 'csv', name: 'CSV', hint: 'To read it in a spreadsheet.' },
];

/** The whole log as a file, page by page, so that a long one does not fill the memory. */
export const exportLog = async ({ actor, path }: Visit, fields: Fields): Promise<Response> => {
  const as = fields.text('as');
  if (!formats.some(({ value }) => value === as)) {
    throw invalidField('as', 'must be one of the choices');
  }
  await recordExport(actor, { what: 'audit log', address: path });
  return as === 'csv'
    ? fileOf('audit-log.csv', 'text/csv; charset=utf-8', await csvOf(actor))
    : fileOf('audit-log.ndjson', 'application/x-ndjson', exportLines(actor, actor.firmId));
};

const fileOf = (name: string, type: string, texts: AsyncGenerator<string>) => {
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
  return new Response(stream, {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
    },
  });
};

const head = [
  'At',
  'Action',
  'Record',
  'Id',
  'Member',
  'Key',
  'Request',
  'Changes',
  'Seal',
  'Hash',
];

const csvOf = async (actor: Actor) => {
  const [members, keys] = await Promise.all([listMembers(actor), listKeys(actor)]);
  const names = new Map([...members, ...keys].map(({ id, name }) => [id, name]));
  const nameOf = (id: string | null, none: string) => (id ? (names.get(id) ?? id) : none);
  const lines = (rows: string[][], isFirst: boolean) =>
    stringify(rows, { escape_formulas: true, bom: isFirst });
  return (async function* () {
    yield lines([head], true);
    for await (const page of logOf(actor, actor.firmId)) {
      const rows = page.map((entry) => [
        ...[new Date(entry.at).toISOString(), entry.action, entry.recordKind, entry.recordId],
        ...[nameOf(entry.memberId, 'The administrator'), nameOf(entry.keyId, '')],
        ...[entry.requestId, entry.changes, entry.sealNumber ?? '', entry.hash ?? ''],
      ]);
      yield lines(rows, false);
    }
  })();
};
