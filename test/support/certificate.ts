/** Certificates for tests: made here, signed by their own key, for the days that a test needs. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';

export type Made = { certificate: string; key: string };

/** A certificate for these hosts, from yesterday until so many days from now, and its key. */
export const makeCertificate = (hosts = ['localhost', '127.0.0.1', '::1'], days = 90): Made => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = sequence(set(sequence(commonName, text(hosts[0] ?? ''))));
  const described = sequence(
    tagged(0xa0, integer(2)),
    integer(...randomBytes(8).map((byte, at) => (at === 0 ? (byte & 0x3f) | 0x40 : byte))),
    sequence(ecdsaWithSha256),
    name,
    sequence(time(-1), time(days)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(namesOf(hosts))),
  );
  const signature = sign('sha256', described, privateKey);
  const whole = sequence(
    described,
    sequence(ecdsaWithSha256),
    tagged(0x03, Buffer.of(0), signature),
  );
  const lines = whole.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};

/** The two files of a server, in a folder of their own; `write` replaces what is in them. */
export const certificateFiles = (made: Made = makeCertificate()) => {
  const folder = mkdtempSync(join(tmpdir(), 'matterhorn-certificate-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const write = (next: Partial<Made>) => {
    if (next.certificate !== undefined) writeFileSync(certificate, next.certificate);
    if (next.key !== undefined) writeFileSync(key, next.key);
  };
  write(made);
  return { made, write, environment: { TLS_CERT: certificate, TLS_KEY: key } };
};

/** A value of DER: its tag, its length, its content. */
const tagged = (tag: number, ...content: Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(content);
  const { length } = bytes;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length];
  return Buffer.concat([Buffer.from([tag, ...size]), bytes]);
};
const sequence = (...content: Uint8Array[]) => tagged(0x30, ...content);
const set = (...content: Uint8Array[]) => tagged(0x31, ...content);
const integer = (...bytes: number[]) => tagged(0x02, Buffer.from(bytes));
const text = (value: string) => tagged(0x0c, Buffer.from(value));
const object = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));

const commonName = object('550403');
const subjectAltName = object('551d11');
const ecdsaWithSha256 = object('2a8648ce3d040302');

const time = (daysFromNow: number) => {
  const at = new Date(Date.now() + daysFromNow * 86_400_000).toISOString();
  return tagged(0x18, Buffer.from(`${at.replaceAll(/[-:T]|\..*/g, '')}Z`));
};

const namesOf = (hosts: string[]) =>
  sequence(subjectAltName, tagged(0x04, sequence(...hosts.map(nameOf))));

const nameOf = (host: string) =>
  isIP(host) === 0 ? tagged(0x82, Buffer.from(host)) : tagged(0x87, bytesOf(host));

const bytesOf = (address: string) =>
  isIP(address) === 4
    ? Buffer.from(address.split('.').map(Number))
    : // The only one of six that tests need.
      Buffer.from([...Array(15).fill(0), 1]);
