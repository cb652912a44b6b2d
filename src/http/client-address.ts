import { type BlockList, isIP, isIPv4 } from 'node:net';

/**
 * The caller's address, for counting failed authentication: the address at the other end of the
 * connection. If that is a trusted proxy: the last address in X-Forwarded-For that is not one.
 * Anybody can forge what is further left. An IPv6 address counts as its /64 network, since a caller
 * has a whole one.
 */
export const callerAddress = (
  peer: string,
  forwardedFor: string | null,
  trusted: BlockList,
): string => {
  let address = bare(peer);
  for (const hop of (forwardedFor ?? '').split(',').reverse()) {
    const before = bare(hop);
    if (isIP(before) === 0 || !isTrusted(address, trusted)) break;
    address = before;
  }
  return isIP(address) === 6 ? networkOf(address) : address;
};

const isTrusted = (address: string, trusted: BlockList) =>
  isIP(address) !== 0 && trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

/** Without port, brackets and zone. An IPv4 address in IPv6 notation becomes itself. */
const bare = (text: string) => {
  const trimmed = text.trim();
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed) ?? [];
  const [, beforePort] = /^([\d.]+):\d+$/.exec(trimmed) ?? [];
  const address = (bracketed ?? beforePort ?? trimmed).replace(/%.*$/, '');
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '');
};

const networkOf = (address: string) => {
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = [], after] = shortest.split('::').map((part) => part.split(':'));
  const gap = after ? Array(Math.max(0, 8 - before.length - after.length)).fill('0') : [];
  const groups = [...before.map((group) => group || '0'), ...gap, ...(after ?? [])];
  return `${groups.slice(0, 4).join(':')}::/64`;
};
