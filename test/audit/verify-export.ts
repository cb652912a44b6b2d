/**
 * Verifies an exported audit log with nothing but its description (src/audit/chain.ts, head.ts):
 * `bun test/audit/verify-export.ts FILE [HEAD] [KEY]`. Ends with 1 and a sentence when something does not fit.
 * HEAD is the hash of a head kept from an earlier export: it must lie on this chain. KEY is the public
 * key of the installation, as `matterhorn audit key` prints it: the end of the chain must be signed by it.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const given = process.argv.slice(2);
const [file = ''] = given;
const kept = given.find((one, place) => place > 0 && one.length === 64);
const key = given.find((one, place) => place > 0 && one.length === 43);

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const object = value as Record<string, unknown>;
  const names = Object.keys(object).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(object[name])}`).join(',')}}`;
};

const members = 'action,at,changes,firmId,id,keyId,memberId,recordId,recordKind,requestId,xid';

const refuse = (sentence: string): never => {
  console.error(sentence);
  process.exit(1);
};

let firmId = '';
let hash = '';
let [entries, sealed] = [0, 0];
let [lastXid, lastId] = [-1n, -1n];
let isOnChain = kept === undefined;
type Signature = { seals: string; publicKey: string; signedAt: string; signature: string };
type Head = { firmId: string; entries: number; sealed: number; hash: string | null };
let head: (Head & { signatures: Signature[] }) | undefined;
const hashes = [''];

for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
  if (head) refuse('Something follows the head.');
  const { entry, seal, ...rest } = JSON.parse(line);
  head = rest.head;
  if (head) continue;
  if (Object.keys(entry).sort().join() !== members) refuse('An entry has other members.');
  firmId ||= entry.firmId;
  hash ||= sha256(`matterhorn audit log 1 ${firmId}`);
  if (entry.firmId !== firmId) refuse(`Entry ${entry.id} is another firm's.`);
  const [xid, id] = [BigInt(entry.xid), BigInt(entry.id)];
  if (xid < lastXid || (xid === lastXid && id <= lastId)) refuse(`Entry ${id} is out of order.`);
  [lastXid, lastId] = [xid, id];
  entries += 1;
  if (seal === null) continue;
  sealed += 1;
  if (sealed !== entries) refuse(`An entry before ${id} has no seal.`);
  if (seal.number !== sealed) refuse(`Entry ${id} has seal ${seal.number}, not ${sealed}.`);
  hash = sha256(hash + canonical(entry));
  if (seal.hash !== hash) refuse(`Entry ${id} does not fit its seal.`);
  hashes.push(hash);
  isOnChain ||= hash === kept;
}

if (!head) refuse('There is no head.');
else if (head.entries !== entries || head.sealed !== sealed) refuse('The head counts otherwise.');
else if ((head.hash ?? '') !== (sealed > 0 ? hash : '')) refuse('The head is another.');
else if (entries > 0 && head.firmId !== firmId) refuse("The head is another firm's.");
if (!isOnChain) refuse('The head that was kept is not on this chain.');
for (const { seals, publicKey, signedAt, signature } of head?.signatures ?? []) {
  const text = `matterhorn audit head 1 ${firmId} ${seals} ${hashes[Number(seals)]} ${signedAt}`;
  const by = { key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' } as const;
  if (!verify(null, Buffer.from(text), createPublicKey(by), Buffer.from(signature, 'base64url')))
    refuse(`The signature of seal ${seals} by ${publicKey} does not fit.`);
}
const isSigned = head?.signatures.some(
  ({ seals, publicKey }) => publicKey === key && Number(seals) === sealed,
);
if (key !== undefined && !isSigned) refuse('The end of the chain is not signed by this key.');
console.log(`${entries} entries, ${sealed} sealed, all fit.`);
