/**
 * Which addresses are sent to. A firm's member chooses where messages go, and the server stands in a network of its
 * own: only addresses of the open internet are connected to, and those that the administrator names.
 */
import { lookup as resolveName } from 'node:dns/promises';
import { type BlockList, isIP, isIPv4, BlockList as Networks } from 'node:net';
import { networkInterfaces } from 'node:os';
import { invalidField } from '../base/refusal.ts';

/** What a server may reach, and how it finds the addresses of a name. */
export type Reach = {
  /** WEBHOOK_ALLOW: networks that are reached though they are not of the open internet. */
  allowed: BlockList;
  /** The ports of this server itself. */
  ownPorts(): number[];
  resolve(host: string): Promise<string[]>;
};

export const longestUrl = 2_000;

/** The names' addresses as this machine knows them. */
export const resolveHere = async (host: string): Promise<string[]> =>
  (await resolveName(host, { all: true, verbatim: true })).map(({ address }) => address);

/** The address to connect to, or why there is none. */
type Found = { address: string } | { failure: 'unresolved' | 'refused-address' };

/** The URL as it is stored. Throws `Refusal` invalid_request for one that is never sent to, whatever its name means. */
export const urlFrom = (text: string): string => {
  const url = URL.parse(text.trim());
  if (url?.protocol !== 'https:') {
    throw invalidField('url', 'must be an address that begins with https://');
  }
  if (url.username || url.password) {
    throw invalidField('url', 'must be without a user and a password');
  }
  if (url.href.length > longestUrl) {
    const rule = `must be at most ${longestUrl} characters long`;
    throw invalidField('url', { rule, kind: { kind: 'tooLong', max: longestUrl } });
  }
  url.hash = '';
  return url.href;
};

const patienceMilliseconds = 3_000;

/**
 * Throws `Refusal` invalid_request if messages to the URL would not be sent now because of what its name means. A name
 * that means nothing yet passes: each try looks again.
 */
export const mustBeReachable = async (reach: Reach, url: string): Promise<void> => {
  const late = Promise.withResolvers<Found>();
  const timer = setTimeout(late.resolve, patienceMilliseconds, { failure: 'unresolved' });
  const found = await Promise.race([addressOf(reach, new URL(url)), late.promise]);
  clearTimeout(timer);
  if (!('failure' in found) || found.failure === 'unresolved') return;
  throw invalidField(
    'url',
    'must lead to an address of the open internet',
    'An administrator allows others by WEBHOOK_ALLOW.',
  );
};

/** Looks up where a URL leads. If any of its addresses must not be reached, none is. */
export const addressOf = async (reach: Reach, url: URL): Promise<Found> => {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || 443);
  const found = isIP(host) > 0 ? [host] : await reach.resolve(host).catch((): string[] => []);
  const [first] = found;
  if (first === undefined) return { failure: 'unresolved' };
  const isGood = found.every((one) => isReachable(reach, one, port));
  return isGood ? { address: first } : { failure: 'refused-address' };
};

const isReachable = ({ allowed, ownPorts }: Reach, address: string, port: number): boolean => {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  if (isIP(address) === 0 || never.check(address, family)) return false;
  if (isOwn(address) && ownPorts().includes(port)) return false;
  if (allowed.check(address, family)) return true;
  return family === 'ipv4'
    ? !notGlobal.check(address, family)
    : global.check(address, family) && !notGlobal.check(address, family);
};

/** Whether an address is this machine's. */
const isOwn = (address: string) => {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  if (loopback.check(address, family)) return true;
  return Object.values(networkInterfaces())
    .flat()
    .some(
      (one) =>
        one &&
        networks([`${one.address}/${one.family === 'IPv4' ? 32 : 128}`]).check(address, family),
    );
};

const networks = (list: readonly string[]): Networks => {
  const made = new Networks();
  for (const network of list) {
    const [address = '', bits] = network.split('/');
    made.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return made;
};

// A mapped address (::ffff:127.0.0.1) is judged as the one that it contains.
const loopback = networks(['127.0.0.0/8', '::1/128']);

/** What is never sent to, whoever allows it: addresses of no host, of many, of the own link, and of a cloud's metadata. */
const never = networks([
  ...['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32'],
  ...['100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32'],
  ...['::/128', 'fe80::/10', 'fec0::/10', 'ff00::/8', 'fd00:ec2::/32', 'fd20:ce::254/128'],
]);

/** The registries of special addresses (RFC 6890 and what was added since). */
const notGlobal = networks([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
]);

/** All of the internet of IPv6 that is given out. What contains another address (NAT64, mapped) is not in it. */
const global = networks(['2000::/3']);
